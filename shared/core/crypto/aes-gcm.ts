import { CryptoError } from '../errors.ts'
import { source } from './source.ts'

/** AES-GCM with the key length of an HPKE or MLS suite (aead.ts has AES-256 alone). */
const EMPTY = new Uint8Array()

export async function encryptAead(
  key: Uint8Array,
  nonce: Uint8Array,
  aad: Uint8Array | undefined,
  plaintext: Uint8Array,
): Promise<Uint8Array> {
  const handle = await crypto.subtle.importKey('raw', source(key), 'AES-GCM', false, ['encrypt'])
  return new Uint8Array(await crypto.subtle.encrypt(parameters(nonce, aad), handle, source(plaintext)))
}

/** @throws CryptoError 'aead/open' */
export async function decryptAead(
  key: Uint8Array,
  nonce: Uint8Array,
  aad: Uint8Array | undefined,
  ciphertext: Uint8Array,
): Promise<Uint8Array> {
  const handle = await crypto.subtle.importKey('raw', source(key), 'AES-GCM', false, ['decrypt'])
  try {
    return new Uint8Array(await crypto.subtle.decrypt(parameters(nonce, aad), handle, source(ciphertext)))
  } catch (cause) {
    throw new CryptoError('aead/open', { cause })
  }
}

function parameters(nonce: Uint8Array, aad: Uint8Array | undefined) {
  return { name: 'AES-GCM', iv: source(nonce), additionalData: source(aad ?? EMPTY) }
}
