import { expand, extract } from '@noble/hashes/hkdf.js'
import { hmac } from '@noble/hashes/hmac.js'
import type { Hash } from 'ts-mls/crypto/hash.js'
import type { Kdf } from 'ts-mls/crypto/kdf.js'
import { equalBytes } from '../bytes/equal.ts'
import { type HashName, hashFunctions } from '../crypto/hmac.ts'
import { source } from '../crypto/source.ts'

/** One object for each hash: what is remembered of a tree is remembered by it (patches/ts-mls/tree-hashes.js). */
export type MlsHash = Hash & {
  digestSync(data: Uint8Array): Uint8Array
  /** Of a whole level of a tree: asked side by side, WebCrypto is faster than a script. */
  digestAll(inputs: readonly Uint8Array[]): Promise<Uint8Array[]>
}

/** Below this, hashing here is done sooner than WebCrypto has answered. */
const NATIVE_FROM_BYTES = 8192
const NATIVE_NAMES = { sha256: 'SHA-256', sha512: 'SHA-512' } as const

function mlsHash(name: HashName): MlsHash {
  const hash = hashFunctions[name]
  const native = async (data: Uint8Array) =>
    new Uint8Array(await crypto.subtle.digest(NATIVE_NAMES[name], source(data)))
  return {
    digestSync: (data) => hash(data),
    digest: async (data) => (data.length < NATIVE_FROM_BYTES ? hash(data) : native(data)),
    digestAll: (inputs) => Promise.all(inputs.map(native)),
    mac: async (key, data) => hmac(hash, key, data),
    verifyMac: async (key, mac, data) => equalBytes(hmac(hash, key, data), mac),
  }
}

function mlsKdf(name: HashName): Kdf {
  const hash = hashFunctions[name]
  return {
    size: hash.outputLen,
    extract: async (salt, secret) => extract(hash, secret, salt),
    expand: async (key, info, length) => expand(hash, key, info, length),
  }
}

export const mlsHashes = { sha256: mlsHash('sha256'), sha512: mlsHash('sha512') } as const
export const mlsKdfs = { sha256: mlsKdf('sha256'), sha512: mlsKdf('sha512') } as const
