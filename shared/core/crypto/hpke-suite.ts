import { concatBytes } from '../bytes/concat.ts'
import { equalBytes } from '../bytes/equal.ts'
import { toUtf8 } from '../bytes/utf8.ts'
import { Writer } from '../bytes/writer.ts'
import { decryptAead, encryptAead } from './aes-gcm.ts'
import { type HashName, hashFunctions } from './hmac.ts'
import type { Kem, KemPrivateKey, KemPublicKey } from './kem.ts'
import type { KeyRing } from './key-handle.ts'
import { labeled } from './labeled.ts'
import type { Dice } from './random.ts'

/** HPKE (RFC 9180), base mode, single shot, for any KEM, hash and AES key length. */
export type HpkeSuite = { readonly kem: Kem; readonly hash: HashName; readonly keyBytes: 16 | 32 }

export const NONCE_BYTES = 12
const MODE_BASE = 0
const KDF_IDS = { sha256: 0x0001, sha512: 0x0003 } as const
const AEAD_IDS = { 16: 0x0001, 32: 0x0002 } as const
const EMPTY = new Uint8Array()

/** Section 5.1, KeySchedule of base mode. A single shot uses sequence number 0, so base_nonce is the nonce. */
export function hpkeSchedule(kemId: number, hash: HashName, keyBytes: 16 | 32) {
  const suiteId = new Writer().raw(toUtf8('HPKE')).u16(kemId).u16(KDF_IDS[hash]).u16(AEAD_IDS[keyBytes]).done()
  const { extract, expand } = labeled(hash, suiteId)
  const pskIdHash = extract(EMPTY, 'psk_id_hash', EMPTY)
  let last: { readonly info: Uint8Array; readonly context: Uint8Array } | undefined
  const contextOf = (info: Uint8Array) => {
    if (last === undefined || !equalBytes(last.info, info)) {
      const infoHash = extract(EMPTY, 'info_hash', info)
      last = { info: info.slice(), context: concatBytes(Uint8Array.of(MODE_BASE), pskIdHash, infoHash) }
    }
    return last.context // a path is sealed to a thousand leaves under one info
  }
  return (shared: Uint8Array, info: Uint8Array) => {
    const context = contextOf(info)
    const secret = extract(shared, 'secret', EMPTY)
    return {
      key: expand(secret, 'key', context, keyBytes),
      nonce: expand(secret, 'base_nonce', context, NONCE_BYTES),
      /** Section 5.3. */
      exported: (exporterContext: Uint8Array, length: number) =>
        expand(expand(secret, 'exp', context, hashFunctions[hash].outputLen), 'sec', exporterContext, length),
    }
  }
}

export function hpke({ kem, hash, keyBytes }: HpkeSuite) {
  const schedule = hpkeSchedule(kem.id, hash, keyBytes)
  return {
    async seal(to: KemPublicKey, info: Uint8Array, aad: Uint8Array | undefined, plaintext: Uint8Array, dice: Dice) {
      const { enc, shared } = await kem.encap(to, dice)
      const { key, nonce } = schedule(shared, info)
      return { enc, ct: await encryptAead(key, nonce, aad, plaintext) }
    },

    /** @throws CryptoError */
    async open(
      own: KemPrivateKey,
      enc: Uint8Array,
      info: Uint8Array,
      aad: Uint8Array | undefined,
      ct: Uint8Array,
      ring: KeyRing | undefined,
    ) {
      const { key, nonce } = schedule(await kem.decap(own, enc, ring), info)
      return decryptAead(key, nonce, aad, ct)
    },

    /** Section 5.3: a secret that only the holder of the private key can export as well. */
    async sendExport(to: KemPublicKey, info: Uint8Array, context: Uint8Array, length: number, dice: Dice) {
      const { enc, shared } = await kem.encap(to, dice)
      return { enc, secret: schedule(shared, info).exported(context, length) }
    },

    async receiveExport(own: KemPrivateKey, enc: Uint8Array, info: Uint8Array, context: Uint8Array, length: number) {
      const shared = await kem.decap(own, enc)
      return schedule(shared, info).exported(context, length)
    },
  }
}
