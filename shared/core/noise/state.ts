import { concatBytes } from '../bytes/concat.ts'
import { toUtf8 } from '../bytes/utf8.ts'
import { openChacha, sealChacha } from '../crypto/chacha.ts'
import { sha256 } from '../crypto/hash.ts'
import { hmacBytes } from '../crypto/hmac.ts'
import { CryptoError } from '../errors.ts'
import { nonceOf } from './nonce.ts'

/**
 * The symmetric state of a handshake (Noise rev. 34, section 5.2), as values. In NK each key seals one payload, so its
 * nonce is always 0.
 */
export type SymmetricState = { readonly chainingKey: Uint8Array; readonly hash: Uint8Array }
export type KeyedState = SymmetricState & { readonly key: Uint8Array }

const PROTOCOL_NAME = toUtf8('Noise_NK_25519_ChaChaPoly_SHA256') // 32 bytes: the hash itself (section 5.2)
const ZERO_NONCE = nonceOf(0)

export function initialState(prologue: Uint8Array): SymmetricState {
  return mixHash({ chainingKey: PROTOCOL_NAME, hash: PROTOCOL_NAME }, prologue)
}

export function mixHash<S extends SymmetricState>(state: S, data: Uint8Array): S {
  return { ...state, hash: sha256(concatBytes(state.hash, data)) }
}

export function mixKey(state: SymmetricState, secret: Uint8Array): KeyedState {
  const [chainingKey, key] = hkdfPair(state.chainingKey, secret)
  return { chainingKey, key, hash: state.hash }
}

export function encryptAndHash(state: KeyedState, payload: Uint8Array) {
  const sealed = sealChacha(state.key, ZERO_NONCE, payload, state.hash)
  return { state: mixHash(state, sealed), sealed }
}

/** @throws CryptoError 'noise/handshake': another responder key, another prologue, or changed on the way */
export function decryptAndHash(state: KeyedState, sealed: Uint8Array) {
  try {
    const payload = openChacha(state.key, ZERO_NONCE, sealed, state.hash)
    return { state: mixHash(state, sealed), payload }
  } catch (cause) {
    throw new CryptoError('noise/handshake', { cause })
  }
}

/** @returns the key of the initiator's messages, then of the responder's */
export function split(state: SymmetricState): readonly [Uint8Array, Uint8Array] {
  return hkdfPair(state.chainingKey, new Uint8Array())
}

/** Section 4.3, HKDF with two outputs; its info is empty, so one HMAC each is all of RFC 5869. */
function hkdfPair(chainingKey: Uint8Array, secret: Uint8Array): readonly [Uint8Array, Uint8Array] {
  const temporary = hmacBytes('sha256', chainingKey, secret)
  const first = hmacBytes('sha256', temporary, Uint8Array.of(1))
  return [first, hmacBytes('sha256', temporary, concatBytes(first, Uint8Array.of(2)))]
}
