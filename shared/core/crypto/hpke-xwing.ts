import { concatBytes } from '../bytes/concat.ts'
import { WireError } from '../errors.ts'
import { AEAD_KEY_BYTES, AEAD_TAG_BYTES } from './aead.ts'
import { hpke } from './hpke-suite.ts'
import { type Dice, systemDice } from './random.ts'
import { X_WING_ENC_BYTES, X_WING_SEED_BYTES, xWing, xWingPublicKey } from './x-wing.ts'

/**
 * HPKE (RFC 9180), base mode, single shot: X-Wing, HKDF-SHA512, AES-256-GCM. For what must stay closed when there are quantum
 * computers. The private key is its seed.
 *
 *   1120B  enc
 *     nB   ct
 */
const base = hpke({ kem: xWing, hash: 'sha512', keyBytes: AEAD_KEY_BYTES })

export const X_WING_OVERHEAD_BYTES = X_WING_ENC_BYTES + AEAD_TAG_BYTES

export type XWingPair = { readonly seed: Uint8Array; readonly publicKey: Uint8Array }

export async function xWingPairFrom(seed: Uint8Array): Promise<XWingPair> {
  return { seed, publicKey: await xWingPublicKey(seed) }
}

export function newXWingPair(dice: Dice = systemDice): Promise<XWingPair> {
  return xWingPairFrom(dice(X_WING_SEED_BYTES))
}

/** @throws CryptoError when the public key is none */
export async function sealXWing(
  publicKey: Uint8Array,
  info: Uint8Array,
  aad: Uint8Array,
  plaintext: Uint8Array,
  dice: Dice = systemDice,
): Promise<Uint8Array> {
  const { enc, ct } = await base.seal({ bytes: publicKey }, info, aad, plaintext, dice)
  return concatBytes(enc, ct)
}

/** @throws WireError 'hpke/short', CryptoError */
export async function openXWing(
  seed: Uint8Array,
  info: Uint8Array,
  aad: Uint8Array,
  bytes: Uint8Array,
): Promise<Uint8Array> {
  if (bytes.length < X_WING_OVERHEAD_BYTES) throw new WireError('hpke/short')
  const enc = bytes.subarray(0, X_WING_ENC_BYTES)
  return base.open({ bytes: seed }, enc, info, aad, bytes.subarray(X_WING_ENC_BYTES), undefined)
}

/** Section 5.3: a secret that only the holder of the private key can export as well. @throws CryptoError */
export function sendXWingExport(
  publicKey: Uint8Array,
  info: Uint8Array,
  context: Uint8Array,
  length: number,
  dice: Dice = systemDice,
): Promise<{ readonly enc: Uint8Array; readonly secret: Uint8Array }> {
  return base.sendExport({ bytes: publicKey }, info, context, length, dice)
}

/** @throws CryptoError */
export function receiveXWingExport(
  seed: Uint8Array,
  enc: Uint8Array,
  info: Uint8Array,
  context: Uint8Array,
  length: number,
): Promise<Uint8Array> {
  return base.receiveExport({ bytes: seed }, enc, info, context, length)
}
