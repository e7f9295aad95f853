import { concatBytes } from '../bytes/concat.ts'
import { toUtf8 } from '../bytes/utf8.ts'
import { Writer } from '../bytes/writer.ts'
import { WireError } from '../errors.ts'
import { AEAD_KEY_BYTES, AEAD_NONCE_BYTES, AEAD_TAG_BYTES, openAead, sealAead } from './aead.ts'
import { hkdfExpand, hkdfExtract } from './hkdf.ts'
import { type Dice, systemDice } from './random.ts'
import { type DhKeyPair, dh, dhKeyPairFrom, X25519_KEY_BYTES } from './x25519.ts'

/**
 * HPKE (RFC 9180), base mode, single shot: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM.
 *
 *   32B  enc: the ephemeral public key
 *    nB  ct
 */
const KEM_ID = 0x0020
const KDF_ID = 0x0001
const AEAD_ID = 0x0002
const KEM_SUITE = new Writer().raw(toUtf8('KEM')).u16(KEM_ID).done()
const HPKE_SUITE = new Writer().raw(toUtf8('HPKE')).u16(KEM_ID).u16(KDF_ID).u16(AEAD_ID).done()
const VERSION = toUtf8('HPKE-v1')
const MODE_BASE = 0
const EMPTY = new Uint8Array()

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

/** Section 4.1, ExtractAndExpand. */
function sharedSecret(secret: Uint8Array, enc: Uint8Array, recipient: Uint8Array): Uint8Array {
  const eaePrk = labeledExtract(KEM_SUITE, EMPTY, 'eae_prk', secret)
  return labeledExpand(KEM_SUITE, eaePrk, 'shared_secret', concatBytes(enc, recipient), 32)
}

/** Section 5.1, KeySchedule of base mode; a single shot uses sequence number 0, so base_nonce is the nonce. */
function keySchedule(shared: Uint8Array, info: Uint8Array) {
  const pskIdHash = labeledExtract(HPKE_SUITE, EMPTY, 'psk_id_hash', EMPTY)
  const infoHash = labeledExtract(HPKE_SUITE, EMPTY, 'info_hash', info)
  const context = concatBytes(Uint8Array.of(MODE_BASE), pskIdHash, infoHash)
  const secret = labeledExtract(HPKE_SUITE, shared, 'secret', EMPTY)
  return {
    key: labeledExpand(HPKE_SUITE, secret, 'key', context, AEAD_KEY_BYTES),
    nonce: labeledExpand(HPKE_SUITE, secret, 'base_nonce', context, AEAD_NONCE_BYTES),
  }
}

function labeledExtract(suite: Uint8Array, salt: Uint8Array, label: string, secret: Uint8Array): Uint8Array {
  return hkdfExtract('sha256', salt, concatBytes(VERSION, suite, toUtf8(label), secret))
}

function labeledExpand(
  suite: Uint8Array,
  key: Uint8Array,
  label: string,
  info: Uint8Array,
  length: number,
): Uint8Array {
  const labeled = new Writer().u16(length).raw(VERSION).raw(suite).raw(toUtf8(label)).raw(info).done()
  return hkdfExpand('sha256', key, labeled, length)
}
