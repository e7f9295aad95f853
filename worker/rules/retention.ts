/** T-05: an envelope is kept until every seat has it, and no longer than this. */
export const ENVELOPE_DAYS = 30
/** CHN5, CHN8: ids that deduplicate, and removed seats, outlive what they stood for. */
export const MEMORY_DAYS = 14

/** CHN21: a stash waits for its commit, and then for those whom the commit added. */
export const UNNAMED_STASH_DAYS = 1
export const STASH_DAYS = 14

export type SeatCursor = { readonly cursor: number; readonly removedDay?: number | undefined }

/** The last position that every live seat has; nothing is queued for nobody, so without seats that is all. */
export function ackedByAll(seats: Iterable<SeatCursor>, last: number): number {
  let least = last
  for (const seat of seats) if (seat.removedDay === undefined && seat.cursor < least) least = seat.cursor
  return least
}

/** Envelopes that came on this day or before are deleted unread. */
export function envelopeDeadline(today: number): number {
  return today - ENVELOPE_DAYS - 1 // a day's rounding must not shorten the time
}

/** Rows without an envelope, and tombstones, of this day or before go. */
export function memoryDeadline(today: number): number {
  return today - MEMORY_DAYS - 1
}

/** Pieces of this day or before go, of what a commit named and of what none did. */
export function stashDeadlines(today: number): { readonly named: number; readonly unnamed: number } {
  return { named: today - STASH_DAYS - 1, unnamed: today - UNNAMED_STASH_DAYS - 1 }
}
