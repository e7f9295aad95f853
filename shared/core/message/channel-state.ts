import { concatBytes } from '../bytes/concat.ts'
import { fromUtf8 } from '../bytes/utf8.ts'
import { importAeadKey, openRandomNonce, sealRandomNonce } from '../crypto/aead.ts'
import { hkdf } from '../crypto/hkdf.ts'
import { openHpke, sealHpke } from '../crypto/hpke.ts'
import { labels } from '../crypto/labels.ts'
import type { DhKeyPair } from '../crypto/x25519.ts'
import { WireError } from '../errors.ts'
import { pad, unpad } from '../padding/padding.ts'
import { decodeCbor, encodeCbor } from '../wire/cbor.ts'
import type { Address, EntryId } from '../wire/ids.ts'
import { MAX_STASH_BYTES, MAX_STASH_PIECES, MAX_STATE_BYTES } from '../wire/limits.ts'
import { bytes, object, oneOf, optional, type TypeOf, text, uint } from '../wire/schema.ts'
import { MAX_NAME_UNITS } from './offer.ts'
import { rosterFields } from './roster.ts'
import { MAX_TREE_BYTES, memberNames } from './stashed.ts'

/**
 * Channel state: what a device of a member account needs in order to come back by itself (docs/spec/coming-back.md, BCK1 to
 * BCK4), left at the relay with each commit. It is sealed under the rejoin key, which the new epoch exports; for each
 * account the rejoin key lies in a box, sealed to the account's HPKE key.
 */
const channelState = object({
  v: uint(1),
  groupInfo: bytes(MAX_STATE_BYTES),
  tree: bytes(MAX_TREE_BYTES),
  kind: oneOf('direct', 'group'),
  title: text(MAX_NAME_UNITS),
  ...rosterFields,
  names: optional(memberNames), // how members call themselves, as far as whoever left this knows
})
export type ChannelState = TypeOf<typeof channelState>

export const REJOIN_EXPORT = { label: fromUtf8(labels.rejoin), length: 32 } as const

const NONCE_AND_TAG_BYTES = 12 + 16
const KEY_BYTES = 32
/** One that a commit leaves is of at most MAX_STATE_BYTES; of a large channel it comes in pieces. */
const MAX_ALL_BYTES = MAX_STASH_PIECES * MAX_STASH_BYTES

export function encodeChannelState(state: Omit<ChannelState, 'v'>): Uint8Array {
  return encodeCbor({ v: 1, ...state })
}

export function decodeChannelState(encoded: Uint8Array): ChannelState {
  return channelState.check(decodeCbor(encoded, MAX_ALL_BYTES))
}

export async function sealChannelState(
  rejoinKey: Uint8Array,
  address: Address,
  state: Omit<ChannelState, 'v'>,
): Promise<Uint8Array> {
  const padded = pad(encodeChannelState(state), NONCE_AND_TAG_BYTES)
  return sealRandomNonce(await importAeadKey(rejoinKey), padded, boundTo(address))
}

/** @throws WireError, CryptoError */
export async function openChannelState(
  rejoinKey: Uint8Array,
  address: Address,
  sealed: Uint8Array,
): Promise<ChannelState> {
  const padded = await openRandomNonce(await importAeadKey(rejoinKey), sealed, boundTo(address))
  return decodeChannelState(unpad(padded))
}

export function sealBox(
  hpkeKey: Uint8Array,
  address: Address,
  entry: EntryId,
  rejoinKey: Uint8Array,
): Promise<Uint8Array> {
  return sealHpke(hpkeKey, labels.stateBox, concatBytes(address, entry), rejoinKey)
}

/** @throws WireError, CryptoError when it is not for this account, or for another channel */
export async function openBox(pair: DhKeyPair, address: Address, entry: EntryId, box: Uint8Array): Promise<Uint8Array> {
  const key = await openHpke(pair, labels.stateBox, concatBytes(address, entry), box)
  if (key.length !== KEY_BYTES) throw new WireError('box/length')
  return key
}

/** The outer key of a commit by which a device comes in: it has no key of the epoch's messages, members have both. */
export function rejoinOuterKey(rejoinKey: Uint8Array): Uint8Array {
  return hkdf('sha512', rejoinKey, new Uint8Array(), labels.rejoinOuter, KEY_BYTES)
}

function boundTo(address: Address): Uint8Array {
  return concatBytes(labels.channelState, address)
}
