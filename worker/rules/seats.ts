import { equalBytes } from '#core/bytes/equal.ts'
import { MAX_SEATS } from '#core/wire/limits.ts'
import type { NewSeat, SeatChanges } from '#core/wire/seats.ts'

/** A seat as far as the rules look at it. `removedDay` is there for a tombstone. */
export type SeatState = {
  readonly entry: Uint8Array
  readonly moderator: boolean
  readonly removedDay?: number | undefined
}
export type SeatAt = (id: Uint8Array) => SeatState | undefined

export type SeatVerdict = 'allowed' | 'not-moderator' | 'foreign-seat' | 'one-seat' | 'seat-taken' | 'full'

/**
 * CHN8: only a moderating seat adds seats or removes those of others; any seat removes itself and those of its own entry.
 * An id that is not known any more is nobody's.
 */
export function judgeSeatChanges(
  by: { readonly entry: Uint8Array; readonly moderator: boolean },
  changes: SeatChanges,
  seatAt: SeatAt,
  liveSeats: number,
): SeatVerdict {
  const others = changes.add.length > 0 || !areOwn(by.entry, changes.remove, seatAt)
  if (others && !by.moderator) return 'not-moderator'
  return judgeIds(changes, seatAt, liveSeats)
}

/** CHN16: who enters gets one seat, of the own entry, with no more rights than the entry has, and touches no other one. */
export function judgeEnter(
  entry: { readonly id: Uint8Array; readonly moderator: boolean },
  changes: SeatChanges,
  seatAt: SeatAt,
  liveSeats: number,
): SeatVerdict {
  const [seat, ...more] = changes.add
  if (seat === undefined || more.length > 0) return 'one-seat'
  if (!equalBytes(seat.entry.id, entry.id) || !areOwn(entry.id, changes.remove, seatAt)) return 'foreign-seat'
  if (seat.moderator && !entry.moderator) return 'not-moderator'
  return judgeIds(changes, seatAt, liveSeats)
}

/** Does none of these seats belong to another entry? */
export function areOwn(entry: Uint8Array, seats: readonly Uint8Array[], seatAt: SeatAt): boolean {
  return seats.every((id) => {
    const seat = seatAt(id)
    return seat === undefined || equalBytes(seat.entry, entry)
  })
}

/** CHN8: an id that lives is not given twice; CHN15: nor does a tombstone's go to another entry. */
function judgeIds(changes: SeatChanges, seatAt: SeatAt, liveSeats: number): SeatVerdict {
  const isLive = (id: Uint8Array): boolean => {
    const seat = seatAt(id)
    return seat !== undefined && seat.removedDay === undefined
  }
  const isOther = ({ id, entry }: NewSeat): boolean => !areOwn(entry.id, [id], seatAt)
  const removed = new Set(changes.remove.filter(isLive).map((id) => id.join()))
  const added = new Set<string>()
  for (const seat of changes.add) {
    const name = seat.id.join()
    if (added.has(name) || (isLive(seat.id) && !removed.has(name)) || isOther(seat)) return 'seat-taken'
    added.add(name)
  }
  return liveSeats - removed.size + added.size > MAX_SEATS ? 'full' : 'allowed'
}
