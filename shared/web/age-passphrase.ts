import { fromBase64url, toBase64url } from '#core/bytes/base64url.ts'
import { concatBytes } from '#core/bytes/concat.ts'
import { toUtf8 } from '#core/bytes/utf8.ts'
import { wipe } from '#core/bytes/wipe.ts'
import { openChacha, sealChacha } from '#core/crypto/chacha.ts'
import { systemDice } from '#core/crypto/random.ts'
import { MAX_SCRYPT_LOG_N, scrypt } from '#core/crypto/scrypt.ts'
import { CryptoError } from '#core/errors.ts'

/**
 * age's passphrase recipient (age-encryption.org/v1, scrypt stanza). The package has one of its own; that one stops the page
 * for seconds, this one gives way to it.
 */
export type AgeStanza = { readonly args: readonly string[]; readonly body: Uint8Array }

const KIND = 'scrypt'
const SALT_BYTES = 16
const SALT_LABEL = toUtf8('age-encryption.org/v1/scrypt')
const NONCE = new Uint8Array(12) // the key is used once
const NO_AAD = new Uint8Array()

export async function wrapFileKey(password: Uint8Array, fileKey: Uint8Array, logN: number): Promise<AgeStanza> {
  const salt = systemDice(SALT_BYTES)
  const key = await scrypt(password, concatBytes(SALT_LABEL, salt), logN)
  const body = sealChacha(key, NONCE, fileKey, NO_AAD)
  wipe(key)
  return { args: [KIND, toBase64(salt), String(logN)], body }
}

/** Null: these are other words. The header was looked at before (isScryptHeader). */
export async function unwrapFileKey(password: Uint8Array, stanza: AgeStanza | undefined): Promise<Uint8Array | null> {
  const [kind, salt = '', logN = ''] = stanza?.args ?? []
  if (stanza === undefined || kind !== KIND) return null
  const key = await scrypt(password, concatBytes(SALT_LABEL, fromBase64(salt)), Number(logN))
  try {
    return openChacha(key, NONCE, stanza.body, NO_AAD)
  } catch (error) {
    if (error instanceof CryptoError) return null
    throw error
  } finally {
    wipe(key)
  }
}

const HEADER =
  /^age-encryption\.org\/v1\n-> scrypt [A-Za-z0-9+/]{22} ([1-9][0-9]?)\n[A-Za-z0-9+/]{43}\n--- [A-Za-z0-9+/]{43}\n/
export const AGE_HEADER_BYTES = 256

/** Looked at before the package parses anything: one passphrase, at a cost that this device can bear. */
export function isScryptHeader(start: string): boolean {
  const [, logN] = HEADER.exec(start) ?? []
  return logN !== undefined && Number(logN) <= MAX_SCRYPT_LOG_N
}

function toBase64(bytes: Uint8Array): string {
  return toBase64url(bytes).replaceAll('-', '+').replaceAll('_', '/')
}

function fromBase64(text: string): Uint8Array {
  return fromBase64url(text.replaceAll('+', '-').replaceAll('/', '_'))
}
