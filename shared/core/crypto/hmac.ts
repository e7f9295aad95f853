import { hmac } from '@noble/hashes/hmac.js'
import { sha256, sha512 } from '@noble/hashes/sha2.js'

export type HashName = 'sha256' | 'sha512'
export const hashFunctions = { sha256, sha512 } as const

/** RFC 2104. */
export function hmacBytes(hash: HashName, key: Uint8Array, data: Uint8Array): Uint8Array {
  return hmac(hashFunctions[hash], key, data)
}
