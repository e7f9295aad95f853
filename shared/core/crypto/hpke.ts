import { concatBytes } from '../bytes/concat.ts'
import { WireError } from '../errors.ts'
import { AEAD_KEY_BYTES, AEAD_TAG_BYTES, openAead, sealAead } from './aead.ts'
import { DHKEM_X25519, sharedSecret } from './dhkem.ts'
import { hpkeSchedule } from './hpke-suite.ts'
import { type Dice, systemDice } from './random.ts'
import { type DhKeyPair, dh, dhKeyPairFrom, X25519_KEY_BYTES } from './x25519.ts'

/**
 * HPKE (RFC 9180), base mode, single shot: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM.
 *
 *   32B  enc: the ephemeral public key
 *    nB  ct
 */
const keySchedule = hpkeSchedule(DHKEM_X25519, 'sha256', AEAD_KEY_BYTES)

export const HPKE_OVERHEAD_BYTES = X25519_KEY_BYTES + AEAD_TAG_BYTES

/** @throws CryptoError when the public key is of low order */
export async function sealHpke(
  publicKey: Uint8Array,
  info: Uint8Array,
  aad: Uint8Array,
  plaintext: Uint8Array,
  dice: Dice = systemDice,
): Promise<Uint8Array> {
  const ephemeral = await dhKeyPairFrom(dice(X25519_KEY_BYTES))
  const secret = await dh(ephemeral.privateKey, publicKey)
  const { key, nonce } = keySchedule(sharedSecret(secret, ephemeral.publicKey, publicKey), info)
  return concatBytes(ephemeral.publicKey, await sealAead(key, nonce, plaintext, aad))
}

/** @throws WireError 'hpke/short', CryptoError */
export async function openHpke(
  recipient: DhKeyPair,
  info: Uint8Array,
  aad: Uint8Array,
  bytes: Uint8Array,
): Promise<Uint8Array> {
  if (bytes.length < HPKE_OVERHEAD_BYTES) throw new WireError('hpke/short')
  const enc = bytes.subarray(0, X25519_KEY_BYTES)
  const secret = await dh(recipient.privateKey, enc)
  const { key, nonce } = keySchedule(sharedSecret(secret, enc, recipient.publicKey), info)
  return openAead(key, nonce, bytes.subarray(X25519_KEY_BYTES), aad)
}
