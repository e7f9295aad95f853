import { hkdf } from '../crypto/hkdf.ts'
import { type Label, labels } from '../crypto/labels.ts'
import { type SigningKey, signingKeyFromSeed } from '../crypto/sign.ts'
import { UsageError } from '../errors.ts'
import type { AccountId } from '../wire/ids.ts'

/** Every long-term key of an account, from its words alone (K-01, docs/spec/keys.md). */
export type AccountKeys = {
  /** The root's public half. */
  readonly account: AccountId
  readonly root: SigningKey
  /** What `signingKeyFromSeed` makes the root of; kept sealed on devices that were set up from the phrase, no others. */
  readonly rootSeed: Uint8Array
  /** Of the X-Wing key pair that opens the vault for the phrase. */
  readonly phraseDoorSeed: Uint8Array
  /** Where the account's log lies at a realm. */
  readonly logAddressSecret: Uint8Array
}

export const SEED_BYTES = 64
const DERIVED_BYTES = 32

/** @param seed of BIP-39; the caller wipes it */
export async function accountKeys(seed: Uint8Array): Promise<AccountKeys> {
  if (seed.length !== SEED_BYTES) throw new UsageError('tree/seed')
  const rootSeed = derive(seed, labels.accountRoot)
  const root = await signingKeyFromSeed(rootSeed)
  return {
    account: root.publicKey as AccountId,
    root,
    rootSeed,
    phraseDoorSeed: derive(seed, labels.phraseDoor),
    logAddressSecret: derive(seed, labels.logAddress),
  }
}

/**
 * Signs the account's vault at the relay (VLT1). Not the root: whose log it holds is not the relay's to know.
 * @param rootSeed the caller wipes it
 */
export function logOwner(rootSeed: Uint8Array): Promise<SigningKey> {
  return signingKeyFromSeed(derive(rootSeed, labels.logOwner))
}

function derive(seed: Uint8Array, label: Label): Uint8Array {
  return hkdf('sha512', seed, new Uint8Array(), label, DERIVED_BYTES)
}
