import { concatBytes } from '../bytes/concat.ts'
import { AEAD_KEY_BYTES, openRandomNonce, sealRandomNonce } from '../crypto/aead.ts'
import { labels } from '../crypto/labels.ts'
import type { Dice } from '../crypto/random.ts'
import { UsageError } from '../errors.ts'
import { pad, unpad } from '../padding/padding.ts'
import { decodeCbor, encodeCbor } from '../wire/cbor.ts'
import { ACCOUNT_BYTES, type AccountId, type Address } from '../wire/ids.ts'
import { MAX_SEATS, MAX_STASH_BYTES, MAX_STASH_PIECES } from '../wire/limits.ts'
import { bytes, fixed, list, object, type TypeOf, text, uint } from '../wire/schema.ts'
import { MAX_NAME_UNITS } from './offer.ts'
import { rosterFields } from './roster.ts'

/**
 * What all newcomers of one commit need alike and what would be too much to send to each: the tree, the roster and names.
 * It lies at the relay in pieces, sealed under a key that their introductions have (docs/spec/introduction.md, INT13).
 */
export const MAX_TREE_BYTES = 8 * 1024 * 1024
export const STASH_ID_BYTES = 16
const NONCE_AND_TAG_BYTES = 12 + 16

export const memberNames = list(
  object({ account: fixed<AccountId>(ACCOUNT_BYTES), name: text(MAX_NAME_UNITS) }),
  MAX_SEATS,
)
const shared = object({ v: uint(1), tree: bytes(MAX_TREE_BYTES), ...rosterFields, names: memberNames })
export type Shared = Omit<TypeOf<typeof shared>, 'v'>

export const stashKey = object({
  id: fixed(STASH_ID_BYTES),
  pieces: uint(MAX_STASH_PIECES),
  key: fixed(AEAD_KEY_BYTES),
})
export type StashKey = TypeOf<typeof stashKey>
export type Stashed = { readonly stash: StashKey; readonly pieces: readonly Uint8Array[] }

export async function sealShared(value: Shared, address: Address, dice: Dice): Promise<Stashed> {
  const key = dice(AEAD_KEY_BYTES)
  const padded = pad(encodeCbor({ v: 1, ...value }), NONCE_AND_TAG_BYTES)
  const sealed = await sealRandomNonce(key, padded, boundTo(address), dice)
  const pieces = inPieces(sealed)
  return { stash: { id: dice(STASH_ID_BYTES), pieces: pieces.length, key }, pieces }
}

/** As the relay takes them (CHN21). */
export function inPieces(sealed: Uint8Array): readonly Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < sealed.length; at += MAX_STASH_BYTES) pieces.push(sealed.subarray(at, at + MAX_STASH_BYTES))
  if (pieces.length > MAX_STASH_PIECES) throw new UsageError('stash/too-large')
  return pieces
}

/** @throws WireError, CryptoError */
export async function openShared({ key }: StashKey, address: Address, pieces: readonly Uint8Array[]): Promise<Shared> {
  const padded = await openRandomNonce(key, concatBytes(...pieces), boundTo(address))
  const { v: _, ...value } = shared.check(decodeCbor(unpad(padded), MAX_STASH_PIECES * MAX_STASH_BYTES))
  return value
}

function boundTo(address: Address): Uint8Array {
  return concatBytes(labels.stash, address)
}
