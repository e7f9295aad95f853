import { Writer } from '../bytes/writer.ts'
import { labels } from '../crypto/labels.ts'
import { type SigningKey, verify } from '../crypto/sign.ts'
import { CryptoError } from '../errors.ts'
import type { VaultRecord } from '../wire/operations.ts'

/**
 * A vault as the relay keeps it, signed by the log's owner (docs/spec/keys.md, VLT1). What is signed:
 *
 *    1B  version (0x01)
 *    4B  number, big-endian
 *    4B  generation of the key ring
 *   32B  hash of the log's token of that generation
 *    4B + nB  body: doors and sealed ring (core/keys/vault.ts), opaque here
 *
 * The owner's key is not the root: the relay learns whose records these are to replace, and not who that is.
 */
const VERSION = 0x01

export function vaultRecordBytes({ number, generation, tokenHash, body }: VaultRecord): Uint8Array {
  return new Writer().raw(labels.vault).u8(VERSION).u32(number).u32(generation).raw(tokenHash).block(body).done()
}

export function signVaultRecord(record: VaultRecord, owner: Pick<SigningKey, 'sign'>): Promise<Uint8Array> {
  return owner.sign(vaultRecordBytes(record))
}

export function verifyVaultRecord(record: VaultRecord, signature: Uint8Array, owner: Uint8Array): Promise<boolean> {
  return verify(owner, vaultRecordBytes(record), signature)
}

/** A vault that its owner signed. Who opens it knew the owner before: from the phrase, the ring, a card or a passkey (VLT2). */
export type CheckedVault = { readonly record: VaultRecord; readonly owner: Uint8Array }

/** @throws CryptoError 'vault/signature' */
export async function checkVaultRecord(
  record: VaultRecord,
  signature: Uint8Array,
  owner: Uint8Array,
): Promise<CheckedVault> {
  if (!(await verifyVaultRecord(record, signature, owner))) throw new CryptoError('vault/signature')
  return { record, owner }
}
