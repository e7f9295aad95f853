import { sha256 as nobleSha256, sha512 as nobleSha512 } from '@noble/hashes/sha2.js'

/** Synchronous: short inputs hash faster here than the round trip to WebCrypto takes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return nobleSha256(bytes)
}

export function sha512(bytes: Uint8Array): Uint8Array {
  return nobleSha512(bytes)
}
