import { concatBytes } from '#core/bytes/concat.ts'
import { toUtf8 } from '#core/bytes/utf8.ts'
import { type Dice, systemDice } from '#core/crypto/random.ts'
import { source } from '#core/crypto/source.ts'
import { WRAP_USAGES } from '#core/crypto/wrap-key.ts'

/** A wrapped table key: 12B nonce, then AES-256-GCM of its 32 bytes, bound to the table's name (STO2). */
const NONCE_BYTES = 12
const AES = { name: 'AES-GCM', length: 256 } as const
const SEAL: readonly KeyUsage[] = ['encrypt', 'decrypt']

export function makeStorageKey(): Promise<CryptoKey> {
  return crypto.subtle.generateKey(AES, false, WRAP_USAGES)
}

export async function wrapNewTableKey(table: string, storage: CryptoKey): Promise<Uint8Array> {
  return wrap(table, await crypto.subtle.generateKey(AES, true, SEAL), storage)
}

/** Rejects when `wrapped` is not of this table or not under this key. */
export function unwrapTableKey(
  table: string,
  wrapped: Uint8Array,
  storage: CryptoKey,
  extractable = false,
): Promise<CryptoKey> {
  const [nonce, sealed] = [wrapped.subarray(0, NONCE_BYTES), wrapped.subarray(NONCE_BYTES)]
  return crypto.subtle.unwrapKey('raw', source(sealed), storage, parameters(table, nonce), AES, extractable, SEAL)
}

/** The same table key under another storage key: no row has to be sealed anew. */
export async function rewrapTableKey(
  table: string,
  wrapped: Uint8Array,
  from: CryptoKey,
  to: CryptoKey,
): Promise<Uint8Array> {
  return wrap(table, await unwrapTableKey(table, wrapped, from, true), to)
}

async function wrap(table: string, key: CryptoKey, storage: CryptoKey, dice: Dice = systemDice): Promise<Uint8Array> {
  const nonce = dice(NONCE_BYTES)
  const wrapped = await crypto.subtle.wrapKey('raw', key, storage, parameters(table, nonce))
  return concatBytes(nonce, new Uint8Array(wrapped))
}

function parameters(table: string, nonce: Uint8Array): AesGcmParams {
  return { name: 'AES-GCM', iv: source(nonce), additionalData: source(toUtf8(`stave/1/table-key ${table}`)) }
}
