import { encodeCbor } from './cbor.ts'
import { ENTRY_BYTES, type EntryId, HASH_BYTES, SEAT_BYTES, type SeatId, type TokenHash } from './ids.ts'
import { MAX_DROP_BYTES, MAX_SEATS } from './limits.ts'
import { bool, bytes, fixed, list, object, optional, type TypeOf } from './schema.ts'

/** A device's pseudonymous place in a channel, as whoever adds it names it to the relay (docs/spec/channel.md). */
export const newSeat = object({
  id: fixed<SeatId>(SEAT_BYTES),
  tokenHash: fixed<TokenHash>(HASH_BYTES),
  moderator: bool, // may it add and remove other seats?
  drop: bytes(MAX_DROP_BYTES), // which mailbox to wake, sealed under a secret of the realm
  entry: object({ id: fixed<EntryId>(ENTRY_BYTES), tokenHash: fixed<TokenHash>(HASH_BYTES) }), // whose seat, without saying who
})
export type NewSeat = TypeOf<typeof newSeat>

export const seatChanges = object({
  add: list(newSeat, MAX_SEATS),
  remove: list(fixed<SeatId>(SEAT_BYTES), MAX_SEATS),
  /** Seats that moderate from here on, or no longer do: their account's role changed. */
  moderate: optional(list(object({ seat: fixed<SeatId>(SEAT_BYTES), moderator: bool }), MAX_SEATS)),
})
export type SeatChanges = TypeOf<typeof seatChanges>

/**
 * What a commit's authenticated data is the hash of: ids, token hashes and moderation, not the drops, which the relay
 * reseals and never shows again.
 */
export function seatChangesBytes(changes: SeatChanges): Uint8Array {
  const add = changes.add.map(({ id, tokenHash, moderator, entry }) => [
    id,
    tokenHash,
    moderator,
    entry.id,
    entry.tokenHash,
  ])
  const moderate = (changes.moderate ?? []).map(({ seat, moderator }) => [seat, moderator])
  return encodeCbor([3, add, changes.remove, moderate])
}
