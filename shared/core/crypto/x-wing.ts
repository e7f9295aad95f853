import { sha3_256, shake256 } from 'mlkem'
import { concatBytes } from '../bytes/concat.ts'
import { toUtf8 } from '../bytes/utf8.ts'
import { wipe } from '../bytes/wipe.ts'
import { CryptoError } from '../errors.ts'
import type { Kem, KemKeyPair, KemPrivateKey } from './kem.ts'
import { handleName, isReference, type KeyRing, loadHandle, makeReference, publicHalf, seedHalf } from './key-handle.ts'
import {
  isMlKemPublicKey,
  ML_KEM_CIPHERTEXT_BYTES,
  ML_KEM_PUBLIC_BYTES,
  ML_KEM_SEED_BYTES,
  type MlKemPrivateKey,
  mlKemDecap,
  mlKemEncap,
  mlKemFromSeed,
  mlKemPublicKey,
} from './ml-kem.ts'
import { type DhKeyPair, dh, dhKeyPairFrom, isDhPublicKey, passingDhKeyPair, X25519_KEY_BYTES } from './x25519.ts'

/**
 * X-Wing (draft-connolly-cfrg-xwing-kem): ML-KEM-768 and X25519, safe as long as one of them is.
 *
 *   public key   1184B ML-KEM, 32B X25519
 *   enc          1088B ML-KEM, 32B X25519
 *   private key  32B seed
 */
const ID = 0x647a
export const X_WING_SEED_BYTES = 32
export const X_WING_PUBLIC_BYTES = ML_KEM_PUBLIC_BYTES + X25519_KEY_BYTES
export const X_WING_ENC_BYTES = ML_KEM_CIPHERTEXT_BYTES + X25519_KEY_BYTES
const LABEL = toUtf8('\\.//^\\')

export const xWing: Kem = {
  id: ID,

  isPublicKey: (bytes) =>
    isMlKemPublicKey(bytes.subarray(0, ML_KEM_PUBLIC_BYTES)) && isDhPublicKey(bytes.subarray(ML_KEM_PUBLIC_BYTES)),

  async generate(dice, ring) {
    const seed = dice(X_WING_SEED_BYTES)
    if (ring === undefined) return keyPairFrom(seed)
    const { mlKemSeed, x25519Seed } = expandSeed(seed)
    const [mlKem, x25519] = [await mlKemFromSeed(mlKemSeed), await dhKeyPairFrom(x25519Seed)]
    const publicKey = { bytes: concatBytes(await mlKemPublicKey(mlKemSeed), x25519.publicKey) }
    const keptHere = mlKem.handle === undefined ? mlKemSeed : undefined
    const privateKey = makeReference(dice, x25519.publicKey, keptHere)
    await ring.save(handleName(privateKey, 'x25519'), x25519.privateKey)
    if (mlKem.handle !== undefined) await ring.save(handleName(privateKey, 'ml-kem'), mlKem.handle)
    wipe(seed, mlKemSeed, x25519Seed)
    return { privateKey, publicKey }
  },

  derive: (secret) => keyPairFrom(shake256(secret, { dkLen: X_WING_SEED_BYTES })),

  async encap({ bytes }, dice) {
    if (bytes.length !== X_WING_PUBLIC_BYTES) throw new CryptoError('x-wing/public-key')
    const ephemeral = await passingDhKeyPair(dice(X25519_KEY_BYTES))
    const theirs = bytes.subarray(ML_KEM_PUBLIC_BYTES)
    const x = await dh(ephemeral.privateKey, theirs)
    const m = await mlKemEncap(bytes.subarray(0, ML_KEM_PUBLIC_BYTES), dice)
    return {
      enc: concatBytes(m.enc, ephemeral.publicKey),
      shared: combine(m.shared, x, ephemeral.publicKey, theirs),
    }
  },

  async decap(privateKey, enc, ring) {
    if (enc.length !== X_WING_ENC_BYTES) throw new CryptoError('x-wing/enc')
    const own = isReference(privateKey) ? await fromRing(privateKey, ring) : await fromSeed(privateKey.bytes)
    const theirs = enc.subarray(ML_KEM_CIPHERTEXT_BYTES)
    const m = await own.mlKem.decap(enc.subarray(0, ML_KEM_CIPHERTEXT_BYTES))
    return combine(m, await dh(own.x25519.privateKey, theirs), theirs, own.x25519.publicKey)
  },
}

/** Of the seed that is the private key. */
export async function xWingPublicKey(seed: Uint8Array): Promise<Uint8Array> {
  return (await keyPairFrom(seed)).publicKey.bytes
}

async function keyPairFrom(seed: Uint8Array): Promise<KemKeyPair> {
  const { mlKemSeed, x25519Seed } = expandSeed(seed)
  const { publicKey } = await passingDhKeyPair(x25519Seed)
  const bytes = concatBytes(await mlKemPublicKey(mlKemSeed), publicKey)
  wipe(mlKemSeed, x25519Seed)
  return { privateKey: { bytes: seed }, publicKey: { bytes } }
}

type Opener = { readonly mlKem: Pick<MlKemPrivateKey, 'decap'>; readonly x25519: DhKeyPair }

async function fromRing(key: KemPrivateKey, ring: KeyRing | undefined): Promise<Opener> {
  const x25519 = { privateKey: await loadHandle(key, 'x25519', ring), publicKey: publicHalf(key) }
  const seed = seedHalf(key)
  if (seed.length > 0) return { mlKem: await mlKemFromSeed(seed), x25519 }
  const handle = await loadHandle(key, 'ml-kem', ring)
  return { mlKem: { decap: (ciphertext) => mlKemDecap(handle, ciphertext) }, x25519 }
}

async function fromSeed(seed: Uint8Array): Promise<Opener> {
  const { mlKemSeed, x25519Seed } = expandSeed(seed)
  const own = { mlKem: await mlKemFromSeed(mlKemSeed), x25519: await passingDhKeyPair(x25519Seed) }
  wipe(mlKemSeed, x25519Seed)
  return own
}

function expandSeed(seed: Uint8Array) {
  if (seed.length !== X_WING_SEED_BYTES) throw new CryptoError('x-wing/private-key')
  const expanded = shake256(seed, { dkLen: ML_KEM_SEED_BYTES + X25519_KEY_BYTES })
  return { mlKemSeed: expanded.subarray(0, ML_KEM_SEED_BYTES), x25519Seed: expanded.subarray(ML_KEM_SEED_BYTES) }
}

function combine(m: Uint8Array, x: Uint8Array, enc: Uint8Array, publicKey: Uint8Array): Uint8Array {
  return sha3_256(concatBytes(m, x, enc, publicKey, LABEL))
}
