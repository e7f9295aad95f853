import { chacha20poly1305 } from '@noble/ciphers/chacha.js'
import { CryptoError } from '../errors.ts'

/** ChaCha20-Poly1305 (RFC 8439), synchronous: Noise frames keep their order without a queue. */
export function sealChacha(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array): Uint8Array {
  return chacha20poly1305(key, nonce, aad).encrypt(plaintext)
}

/** @throws CryptoError 'chacha/open' */
export function openChacha(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array): Uint8Array {
  try {
    return chacha20poly1305(key, nonce, aad).decrypt(sealed)
  } catch (cause) {
    throw new CryptoError('chacha/open', { cause })
  }
}
