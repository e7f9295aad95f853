import { expand, extract } from '@noble/hashes/hkdf.js'
import { UsageError } from '../errors.ts'
import { type HashName, hashFunctions } from './hmac.ts'

/** RFC 5869, synchronous. */
export function hkdfExtract(hash: HashName, salt: Uint8Array, secret: Uint8Array): Uint8Array {
  return extract(hashFunctions[hash], secret, salt)
}

export function hkdfExpand(hash: HashName, key: Uint8Array, info: Uint8Array, length: number): Uint8Array {
  if (length > 255 * hashFunctions[hash].outputLen) throw new UsageError('hkdf/length')
  return expand(hashFunctions[hash], key, info, length)
}

export function hkdf(
  hash: HashName,
  secret: Uint8Array,
  salt: Uint8Array,
  info: Uint8Array,
  length: number,
): Uint8Array {
  return hkdfExpand(hash, hkdfExtract(hash, salt, secret), info, length)
}
