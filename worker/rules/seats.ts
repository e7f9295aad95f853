import { equalBytes } from '#core/bytes/equal.ts'
import { MAX_SEATS } from '#core/wire/limits.ts'
import type { NewSeat, SeatChanges } from '#core/wire/seats.ts'

/** A seat as far as the rules look at it. `removedDay` is there for a tombstone. */
export type SeatState = {
  readonly id: Uint8Array
  readonly entry: Uint8Array
  readonly moderator: boolean
  readonly removedDay?: number | undefined
}
/** A channel's seats, tombstones included; `live` counts those that are none. */
export type SeatsThere = {
  readonly at: (id: Uint8Array) => SeatState | undefined
  readonly all: () => Iterable<SeatState>
  readonly live: number
}

export type SeatVerdict =
  | 'allowed'
  | 'not-moderator'
  | 'foreign-seat'
  | 'one-seat'
  | 'seat-taken'
  | 'seat-twice'
  | 'last-moderator'
  | 'full'

/**
 * CHN8: only a moderating seat adds seats, removes those of others or says which ones moderate; any seat removes itself
 * and those of its own entry. An id that is not known any more is nobody's.
 */
export function judgeSeatChanges(
  by: { readonly entry: Uint8Array; readonly moderator: boolean },
  changes: SeatChanges,
  there: SeatsThere,
): SeatVerdict {
  const { add, remove, moderate = [] } = changes
  const others = add.length > 0 || moderate.length > 0 || !areOwn(by.entry, remove, there)
  if (others && !by.moderator) return 'not-moderator'
  const verdict = judgeIds(changes, there)
  return verdict === 'allowed' ? judgeModeration(changes, there) : verdict
}

/** CHN16: who enters gets one seat, of the own entry, with no more rights than the entry has, and touches no other one. */
export function judgeEnter(
  entry: { readonly id: Uint8Array; readonly moderator: boolean },
  changes: SeatChanges,
  there: SeatsThere,
): SeatVerdict {
  const [seat, ...more] = changes.add
  if (seat === undefined || more.length > 0) return 'one-seat'
  if (!equalBytes(seat.entry.id, entry.id) || !areOwn(entry.id, changes.remove, there)) return 'foreign-seat'
  const moderates = changes.moderate !== undefined && changes.moderate.length > 0
  if (moderates || (seat.moderator && !entry.moderator)) return 'not-moderator'
  return judgeIds(changes, there)
}

/** Does none of these seats belong to another entry? */
export function areOwn(entry: Uint8Array, seats: readonly Uint8Array[], there: Pick<SeatsThere, 'at'>): boolean {
  return seats.every((id) => {
    const seat = there.at(id)
    return seat === undefined || equalBytes(seat.entry, entry)
  })
}

/** CHN8: an id that lives is not given twice; CHN15: nor does a tombstone's go to another entry. */
function judgeIds(changes: SeatChanges, there: SeatsThere): SeatVerdict {
  const isLive = (id: Uint8Array): boolean => {
    const seat = there.at(id)
    return seat !== undefined && seat.removedDay === undefined
  }
  const isOther = ({ id, entry }: NewSeat): boolean => !areOwn(entry.id, [id], there)
  const removed = new Set(changes.remove.filter(isLive).map((id) => id.join()))
  const added = new Set<string>()
  for (const seat of changes.add) {
    const name = seat.id.join()
    if (added.has(name) || (isLive(seat.id) && !removed.has(name)) || isOther(seat)) return 'seat-taken'
    added.add(name)
  }
  return there.live - removed.size + added.size > MAX_SEATS ? 'full' : 'allowed'
}

/** CHN20: each seat is named once, by one of the three lists; nobody takes moderation from the last seat that has it. */
function judgeModeration({ add, remove, moderate = [] }: SeatChanges, there: SeatsThere): SeatVerdict {
  if (moderate.length === 0) return 'allowed'
  const named = new Set([...add.map(({ id }) => id.join()), ...remove.map((id) => id.join())])
  const given = new Map<string, boolean>()
  for (const { seat, moderator } of moderate) {
    const name = seat.join()
    if (named.has(name) || given.has(name)) return 'seat-twice'
    given.set(name, moderator)
  }
  if (add.some(({ moderator }) => moderator)) return 'allowed'
  for (const { id, moderator, removedDay } of there.all()) {
    const name = id.join()
    if (removedDay === undefined && !named.has(name) && (given.get(name) ?? moderator)) return 'allowed'
  }
  return 'last-moderator'
}
