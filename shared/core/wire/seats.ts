import { encodeCbor } from './cbor.ts'
import { HASH_BYTES, SEAT_BYTES, type SeatId, type TokenHash } from './ids.ts'
import { MAX_DROP_BYTES, MAX_SEATS } from './limits.ts'
import { bool, bytes, fixed, list, object, type TypeOf } from './schema.ts'

/** A device's pseudonymous place in a channel, as whoever adds it names it to the relay (docs/spec/channel.md). */
export const newSeat = object({
  id: fixed<SeatId>(SEAT_BYTES),
  tokenHash: fixed<TokenHash>(HASH_BYTES),
  moderator: bool, // may it add and remove other seats?
  drop: bytes(MAX_DROP_BYTES), // which mailbox to wake, sealed under a secret of the realm
})
export type NewSeat = TypeOf<typeof newSeat>

export const seatChanges = object({
  add: list(newSeat, MAX_SEATS),
  remove: list(fixed<SeatId>(SEAT_BYTES), MAX_SEATS),
})
export type SeatChanges = TypeOf<typeof seatChanges>

/**
 * What a commit's authenticated data is the hash of: ids, token hashes and moderation, not the drops, which the relay
 * reseals and never shows again.
 */
export function seatChangesBytes(changes: SeatChanges): Uint8Array {
  return encodeCbor([1, changes.add.map((seat) => [seat.id, seat.tokenHash, seat.moderator]), changes.remove])
}
