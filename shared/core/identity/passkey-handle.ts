import { equalBytes } from '../bytes/equal.ts'
import { Reader } from '../bytes/reader.ts'
import { Writer } from '../bytes/writer.ts'
import { sha256 } from '../crypto/hash.ts'
import { WireError } from '../errors.ts'
import { ADDRESS_BYTES, type Address } from '../wire/ids.ts'

/**
 * The user handle of a passkey (WebAuthn, at most 64 bytes): by it a passkey finds its door again (docs/spec/keys.md, CRD2).
 *
 *    1B  version (0x01)
 *   32B  the log's address
 *   31B  the first bytes of SHA-256 of the owner key: who must have signed the vault
 */
export type PasskeyHandle = { readonly logAddress: Address; readonly ownerHash: Uint8Array }

const VERSION = 0x01
const OWNER_HASH_BYTES = 31
const HANDLE_BYTES = 1 + ADDRESS_BYTES + OWNER_HASH_BYTES

export function encodePasskeyHandle(logAddress: Address, ownerKey: Uint8Array): Uint8Array {
  return new Writer().u8(VERSION).raw(logAddress).raw(hashOwner(ownerKey)).done()
}

/** @throws WireError */
export function decodePasskeyHandle(bytes: Uint8Array): PasskeyHandle {
  const r = new Reader(bytes, HANDLE_BYTES)
  if (r.u8() !== VERSION) throw new WireError('passkey-handle/version')
  const handle = { logAddress: r.take(ADDRESS_BYTES) as Address, ownerHash: r.take(OWNER_HASH_BYTES) }
  r.end()
  return handle
}

export function isOwnerOf({ ownerHash }: PasskeyHandle, ownerKey: Uint8Array): boolean {
  return equalBytes(hashOwner(ownerKey), ownerHash)
}

function hashOwner(ownerKey: Uint8Array): Uint8Array {
  return sha256(ownerKey).slice(0, OWNER_HASH_BYTES)
}
