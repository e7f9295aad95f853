import { fromBase64url, toBase64url } from '../bytes/base64url.ts'
import { concatBytes } from '../bytes/concat.ts'
import { equalBytes } from '../bytes/equal.ts'
import { Reader } from '../bytes/reader.ts'
import { Writer } from '../bytes/writer.ts'
import { sha256 } from '../crypto/hash.ts'
import { labels } from '../crypto/labels.ts'
import { InputError, UsageError, WireError } from '../errors.ts'
import { originOf } from '../identity/origin.ts'
import { type Address, HASH_BYTES } from '../wire/ids.ts'
import { decodeCrockford, encodeCrockford } from './crockford.ts'

/**
 * Link code (docs/spec/link.md, LNK2): what a new device shows, and the holder of the account reads. It names the new device's
 * one-time key by its hash, so a relay can't put another in its place. As a QR code or link
 *
 *   https://host[:port]/link#<base64url of: 1B version (0x01)  32B realm key  32B key hash>
 *
 * or, to be typed, the first 10 bytes of the hash in Crockford's base32: XXXX-XXXX-XXXX-XXXX.
 */
export type LinkCode = {
  /** Ten bytes of the hash are in either form; what is there is compared. */
  readonly keyHash: Uint8Array
  readonly realm?: { readonly origin: string; readonly realmKey: Uint8Array }
}

const VERSION = 0x01
const REALM_KEY_BYTES = 32
const SHORT_BYTES = 10
const TYPED_UNITS = 16
const LINK_UNITS = Math.ceil(((1 + REALM_KEY_BYTES + HASH_BYTES) * 4) / 3)
const MAX_TEXT_UNITS = 4096
const INVISIBLE = /\p{Cf}/gu
const LINK = /(?:(https?):\/\/|(?<=^|[\s<>"'(]))([^\s<>"'()@#?/\\]{1,300})\/link\/?#([\w-]*)/i

export function hashLinkKey(publicKey: Uint8Array): Uint8Array {
  return sha256(concatBytes(labels.linkKey, publicKey))
}

/** Where both meet at the relay. */
export function linkAddressOf({ keyHash }: Pick<LinkCode, 'keyHash'>): Address {
  return sha256(concatBytes(labels.linkAddress, keyHash.subarray(0, SHORT_BYTES))) as Address
}

/** LNK3: is this the key that the code names? */
export function isKeyOf({ keyHash }: Pick<LinkCode, 'keyHash'>, publicKey: Uint8Array): boolean {
  return equalBytes(hashLinkKey(publicKey).subarray(0, keyHash.length), keyHash)
}

export function encodeLink(keyHash: Uint8Array, { origin, realmKey }: Required<LinkCode>['realm']): string {
  if (originOf(origin) !== origin) throw new UsageError('link/origin')
  return `${origin}/link#${toBase64url(new Writer().u8(VERSION).raw(realmKey).raw(keyHash).done())}`
}

export function encodeTypedCode(keyHash: Uint8Array): string {
  return encodeCrockford(keyHash.subarray(0, SHORT_BYTES)).replaceAll(/(.{4})(?=.)/g, '$1-')
}

/** Either form, as it was scanned, pasted or typed. @throws InputError 'link/not-a-code', 'link/truncated' or 'link/version' */
export function readLinkCode(text: string): LinkCode {
  if (text.length > MAX_TEXT_UNITS) throw new InputError('link/not-a-code')
  const visible = text.replaceAll(INVISIBLE, '')
  const link = LINK.exec(visible)
  return link === null ? readTyped(visible) : readLink(link)
}

function readLink([, scheme, host = '', fragment = '']: RegExpExecArray): LinkCode {
  const origin = originOf(host, scheme)
  if (origin === undefined) throw new InputError('link/not-a-code')
  try {
    const r = new Reader(fromBase64url(fragment), MAX_TEXT_UNITS)
    if (r.u8() !== VERSION) throw new InputError('link/version')
    const realm = { origin, realmKey: r.take(REALM_KEY_BYTES) }
    const keyHash = r.take(HASH_BYTES)
    r.end()
    return { keyHash, realm }
  } catch (cause) {
    if (!(cause instanceof WireError)) throw cause
    throw new InputError(fragment.length < LINK_UNITS ? 'link/truncated' : 'link/not-a-code', {}, { cause })
  }
}

function readTyped(text: string): LinkCode {
  const symbols = text.normalize('NFKC').replaceAll(/[\s\p{Pd}.]+/gu, '')
  const keyHash = decodeCrockford(symbols)
  if (keyHash === undefined || symbols.length > TYPED_UNITS) throw new InputError('link/not-a-code')
  if (symbols.length < TYPED_UNITS) throw new InputError('link/truncated')
  return { keyHash }
}
