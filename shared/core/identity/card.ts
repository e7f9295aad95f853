import { fromBase64url, toBase64url } from '../bytes/base64url.ts'
import { Reader } from '../bytes/reader.ts'
import { fromUtf8, toUtf8 } from '../bytes/utf8.ts'
import { Writer } from '../bytes/writer.ts'
import { VERIFYING_KEY_BYTES } from '../crypto/sign.ts'
import { InputError, UsageError, WireError } from '../errors.ts'
import { ADDRESS_BYTES, type Address } from '../wire/ids.ts'
import { originOf } from './origin.ts'

/**
 * Card: by which a passphrase finds its door again (docs/spec/keys.md, CRD1). `stave-card:` and base64url of
 *
 *    1B  version (0x01)
 *    4B + nB  the realm's origin
 *   32B  realm key
 *   32B  the log's address there
 *   32B  owner key: who must have signed the vault
 *   16B  door id
 *
 * It opens nothing without the passphrase; who has it can ask the realm for the sealed vault and guess.
 */
export type Card = {
  readonly origin: string
  readonly realmKey: Uint8Array
  readonly logAddress: Address
  readonly ownerKey: Uint8Array
  readonly doorId: Uint8Array
}

const VERSION = 0x01
const REALM_KEY_BYTES = 32
const DOOR_ID_BYTES = 16
const MAX_ORIGIN_BYTES = 300
const MAX_CARD_BYTES = 1024
const FIXED_BYTES = 1 + 4 + REALM_KEY_BYTES + ADDRESS_BYTES + VERIFYING_KEY_BYTES + DOOR_ID_BYTES
const PREFIX = 'stave-card:'
/** What copying and printing put in between. */
const BETWEEN = /[\s\p{Cf}]+/gu
const CARD = /stave-card:([\w-]*)/i

export function encodeCard({ origin, realmKey, logAddress, ownerKey, doorId }: Card): string {
  if (originOf(origin) !== origin) throw new UsageError('card/origin')
  const w = new Writer().u8(VERSION).block(toUtf8(origin)).raw(realmKey).raw(logAddress).raw(ownerKey).raw(doorId)
  return `${PREFIX}${toBase64url(w.done())}`
}

/** @throws InputError 'card/not-a-card', 'card/truncated' or 'card/version' */
export function readCard(text: string): Card {
  if (text.length > 4 * MAX_CARD_BYTES) throw new InputError('card/not-a-card')
  const found = CARD.exec(text.replaceAll(BETWEEN, ''))?.[1]
  if (found === undefined) throw new InputError('card/not-a-card')
  try {
    return decodeCard(fromBase64url(found))
  } catch (cause) {
    if (!(cause instanceof WireError)) throw cause
    const isShort = found.length * 0.75 < FIXED_BYTES || cause.code === 'reader/short'
    throw new InputError(isShort ? 'card/truncated' : 'card/not-a-card', {}, { cause })
  }
}

function decodeCard(bytes: Uint8Array): Card {
  const r = new Reader(bytes, MAX_CARD_BYTES)
  if (r.u8() !== VERSION) throw new InputError('card/version')
  const origin = fromUtf8(r.block(MAX_ORIGIN_BYTES))
  if (originOf(origin) !== origin) throw new InputError('card/not-a-card')
  const card = {
    origin,
    realmKey: r.take(REALM_KEY_BYTES),
    logAddress: r.take(ADDRESS_BYTES) as Address,
    ownerKey: r.take(VERIFYING_KEY_BYTES),
    doorId: r.take(DOOR_ID_BYTES),
  }
  r.end()
  return card
}
