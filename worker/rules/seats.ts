import { equalBytes } from '#core/bytes/equal.ts'
import { MAX_SEATS } from '#core/wire/limits.ts'
import type { SeatChanges } from '#core/wire/seats.ts'

/** A seat as far as the rules look at it. `removedDay` is there for a tombstone. */
export type SeatState = { readonly moderator: boolean; readonly removedDay?: number | undefined }

export type SeatVerdict = 'allowed' | 'not-moderator' | 'seat-taken' | 'full'

/** CHN8: only a moderating seat changes other seats; any seat may remove itself; an id that lives is not given twice. */
export function judgeSeatChanges(
  by: { readonly id: Uint8Array; readonly moderator: boolean },
  changes: SeatChanges,
  seatAt: (id: Uint8Array) => SeatState | undefined,
  liveSeats: number,
): SeatVerdict {
  const others = changes.add.length > 0 || changes.remove.some((id) => !equalBytes(id, by.id))
  if (others && !by.moderator) return 'not-moderator'
  const isLive = (id: Uint8Array): boolean => {
    const seat = seatAt(id)
    return seat !== undefined && seat.removedDay === undefined
  }
  const removed = new Set(changes.remove.filter(isLive).map((id) => id.join()))
  const added = new Set<string>()
  for (const { id } of changes.add) {
    const name = id.join()
    if (added.has(name) || (isLive(id) && !removed.has(name))) return 'seat-taken'
    added.add(name)
  }
  return liveSeats - removed.size + added.size > MAX_SEATS ? 'full' : 'allowed'
}
