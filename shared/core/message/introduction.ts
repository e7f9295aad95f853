import { decodeCbor, encodeCbor } from '../wire/cbor.ts'
import {
  ADDRESS_BYTES,
  type Address,
  ENTRY_BYTES,
  type EntryId,
  INVITATION_BYTES,
  type InvitationId,
  SEAT_BYTES,
  type SeatId,
  TOKEN_BYTES,
  type Token,
} from '../wire/ids.ts'
import { MAX_ENVELOPE_BYTES, MAX_MANIFEST_BYTES } from '../wire/limits.ts'
import { bytes, fixed, object, oneOf, optional, type TypeOf, text, uint } from '../wire/schema.ts'
import { MAX_NAME_UNITS } from './offer.ts'
import { rosterFields } from './roster.ts'
import { memberNames, stashKey } from './stashed.ts'

const MAX_REF_BYTES = 64

/**
 * Introduction: what reaches a new member's mailbox, sealed to its device key (docs/spec/introduction.md). The MLS
 * welcome travels in it with what the relay must not tell: which channel, which seat, who asks.
 */
const introduction = object({
  v: uint(1),
  /** What it answers: an invitation, or a key package that the device had left at its account (C-02). */
  invitation: optional(fixed<InvitationId>(INVITATION_BYTES)),
  keyPackage: optional(bytes(MAX_REF_BYTES)),
  name: text(MAX_NAME_UNITS),
  manifest: bytes(MAX_MANIFEST_BYTES),
  welcome: bytes(MAX_ENVELOPE_BYTES),
  tree: bytes(MAX_ENVELOPE_BYTES),
  address: fixed<Address>(ADDRESS_BYTES),
  seat: fixed<SeatId>(SEAT_BYTES),
  token: fixed<Token>(TOKEN_BYTES),
  kind: oneOf('direct', 'group'),
  title: text(MAX_NAME_UNITS),
  commits: uint(), // the channel's count once the commit that adds the new member is ordered
  /** The account's place in the channel; without a token when it has been there before. */
  entry: object({ id: fixed<EntryId>(ENTRY_BYTES), token: optional(fixed<Token>(TOKEN_BYTES)) }),
  ...rosterFields, // as they are then
  /** How members call themselves, as far as whoever introduces knows. */
  names: optional(memberNames),
  /** Where the tree, the roster and the names are when they are too large for each: here they are empty then. */
  stash: optional(stashKey),
})
export type Introduction = TypeOf<typeof introduction>

export function encodeIntroduction(value: Omit<Introduction, 'v'>): Uint8Array {
  return encodeCbor({ v: 1, ...value })
}

export function decodeIntroduction(encoded: Uint8Array): Introduction {
  return introduction.check(decodeCbor(encoded, MAX_ENVELOPE_BYTES))
}
