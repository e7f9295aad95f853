import { concatBytes } from '../bytes/concat.ts'
import { CryptoError, UsageError, WireError } from '../errors.ts'
import { type Dice, systemDice } from './random.ts'
import { source } from './source.ts'

/** AES-256-GCM with a 128-bit tag behind the ciphertext. */
export type AeadKey = CryptoKey | Uint8Array

export const AEAD_KEY_BYTES = 32
export const AEAD_NONCE_BYTES = 12
export const AEAD_TAG_BYTES = 16
const EMPTY = new Uint8Array()

export async function importAeadKey(bytes: Uint8Array, extractable = false): Promise<CryptoKey> {
  if (bytes.length !== AEAD_KEY_BYTES) throw new UsageError('aead/key-length')
  return crypto.subtle.importKey('raw', source(bytes), 'AES-GCM', extractable, ['encrypt', 'decrypt'])
}

/** A key that never leaves WebCrypto (K-04). */
export async function generateAeadKey(): Promise<CryptoKey> {
  const algorithm = { name: 'AES-GCM', length: 256 }
  return (await crypto.subtle.generateKey(algorithm, false, ['encrypt', 'decrypt'])) as CryptoKey
}

/** The caller sees to it that no nonce comes twice under one key. */
export async function sealAead(
  key: AeadKey,
  nonce: Uint8Array,
  plaintext: Uint8Array,
  aad: Uint8Array = EMPTY,
): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.encrypt(parameters(nonce, aad), await handle(key), source(plaintext)))
}

/** @throws CryptoError 'aead/open' */
export async function openAead(
  key: AeadKey,
  nonce: Uint8Array,
  sealed: Uint8Array,
  aad: Uint8Array = EMPTY,
): Promise<Uint8Array> {
  const opener = await handle(key)
  try {
    return new Uint8Array(await crypto.subtle.decrypt(parameters(nonce, aad), opener, source(sealed)))
  } catch (cause) {
    throw new CryptoError('aead/open', { cause })
  }
}

/** @returns 12B random nonce, then the ciphertext with its tag; one key takes 2^32 of these (NIST SP 800-38D, 8.3) */
export async function sealRandomNonce(
  key: AeadKey,
  plaintext: Uint8Array,
  aad: Uint8Array = EMPTY,
  dice: Dice = systemDice,
): Promise<Uint8Array> {
  const nonce = dice(AEAD_NONCE_BYTES)
  return concatBytes(nonce, await sealAead(key, nonce, plaintext, aad))
}

/** @throws WireError 'aead/short', CryptoError 'aead/open' */
export async function openRandomNonce(key: AeadKey, sealed: Uint8Array, aad: Uint8Array = EMPTY): Promise<Uint8Array> {
  if (sealed.length < AEAD_NONCE_BYTES + AEAD_TAG_BYTES) throw new WireError('aead/short')
  return openAead(key, sealed.subarray(0, AEAD_NONCE_BYTES), sealed.subarray(AEAD_NONCE_BYTES), aad)
}

function parameters(nonce: Uint8Array, aad: Uint8Array) {
  if (nonce.length !== AEAD_NONCE_BYTES) throw new UsageError('aead/nonce-length')
  return { name: 'AES-GCM', iv: source(nonce), additionalData: source(aad), tagLength: AEAD_TAG_BYTES * 8 }
}

async function handle(key: AeadKey): Promise<CryptoKey> {
  return key instanceof Uint8Array ? importAeadKey(key) : key
}
