import { concatBytes } from '#core/bytes/concat.ts'
import { toHex } from '#core/bytes/hex.ts'
import { sha256 } from '#core/crypto/hash.ts'

/** CHN23: how many seats are told at first that a state is wanted. Each further round tells as many as were told before. */
const AT_FIRST = 4
/** In one epoch: whoever refuses what members leave, time and again, has them leave no more than this. */
export const MAX_ANSWERS = 16
/** Between rounds. */
export const TELL_MORE_MS = 60_000
/** An ask is forgotten when nobody has repeated it for a day, rounded to the longer side. */
const ASK_DAYS = 1

/** Some of these, as the channel's newest head has it: a seat's id is older than that, so none is made to be among them. */
export function toldNext<T extends { readonly id: Uint8Array }>(
  seats: readonly T[],
  head: Uint8Array,
  soFar: number,
): readonly T[] {
  const drawn = seats.map((seat) => ({ seat, lot: toHex(sha256(concatBytes(head, seat.id))) }))
  drawn.sort((a, b) => (a.lot < b.lot ? -1 : 1))
  return drawn.slice(0, Math.max(AT_FIRST, soFar)).map(({ seat }) => seat)
}

export function askDeadline(today: number): number {
  return today - ASK_DAYS - 1
}
