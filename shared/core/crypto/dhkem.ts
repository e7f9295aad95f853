import { concatBytes } from '../bytes/concat.ts'
import { toUtf8 } from '../bytes/utf8.ts'
import { wipe } from '../bytes/wipe.ts'
import { Writer } from '../bytes/writer.ts'
import type { Kem, KemKeyPair, KemPrivateKey } from './kem.ts'
import { handleName, isReference, type KeyRing, loadHandle, makeReference, publicHalf } from './key-handle.ts'
import { labeled } from './labeled.ts'
import { type DhKeyPair, dh, dhKeyPairFrom, isDhPublicKey, passingDhKeyPair, X25519_KEY_BYTES } from './x25519.ts'

/** DHKEM(X25519, HKDF-SHA256) of RFC 9180 section 4.1. */
export const DHKEM_X25519 = 0x0020
const { extract, expand } = labeled('sha256', new Writer().raw(toUtf8('KEM')).u16(DHKEM_X25519).done())
const EMPTY = new Uint8Array()

export const dhkem: Kem = {
  id: DHKEM_X25519,
  isPublicKey: isDhPublicKey,

  async generate(dice, ring) {
    const bytes = dice(X25519_KEY_BYTES)
    if (ring === undefined) return keyPairFrom(bytes)
    const { privateKey: handle, publicKey } = await dhKeyPairFrom(bytes)
    wipe(bytes)
    const privateKey = makeReference(dice, publicKey)
    await ring.save(handleName(privateKey, 'x25519'), handle)
    return { privateKey, publicKey: { bytes: publicKey } }
  },

  /** Section 7.1.3. */
  derive: (secret) => keyPairFrom(expand(extract(EMPTY, 'dkp_prk', secret), 'sk', EMPTY, X25519_KEY_BYTES)),

  async encap({ bytes }, dice) {
    const ephemeral = await passingDhKeyPair(dice(X25519_KEY_BYTES))
    const enc = ephemeral.publicKey
    return { enc, shared: sharedSecret(await dh(ephemeral.privateKey, bytes), enc, bytes) }
  },

  async decap(privateKey, enc, ring) {
    const own = await imported(privateKey, ring)
    return sharedSecret(await dh(own.privateKey, enc), enc, own.publicKey)
  },
}

async function keyPairFrom(bytes: Uint8Array): Promise<KemKeyPair> {
  const { publicKey } = await passingDhKeyPair(bytes)
  return { privateKey: { bytes }, publicKey: { bytes: publicKey } }
}

async function imported(key: KemPrivateKey, ring: KeyRing | undefined): Promise<DhKeyPair> {
  if (!isReference(key)) return passingDhKeyPair(key.bytes)
  return { privateKey: await loadHandle(key, 'x25519', ring), publicKey: publicHalf(key) }
}

/** Section 4.1, ExtractAndExpand. */
export function sharedSecret(secret: Uint8Array, enc: Uint8Array, recipient: Uint8Array): Uint8Array {
  return expand(extract(EMPTY, 'eae_prk', secret), 'shared_secret', concatBytes(enc, recipient), 32)
}
