import type { EntryId, SeatId } from '#core/wire/ids.ts'
import type { NewSeat, SeatChanges } from '#core/wire/seats.ts'
import { nameOf } from './post-ids.ts'
import type { ChannelRows } from './rows.ts'

/** `given`: a moderating seat says who moderates, and who is in; `kept`: who enters by itself changes nothing about that. */
export type Rights = 'given' | 'kept'
type Changes = {
  readonly add: readonly NewSeat[]
  readonly remove: readonly SeatId[]
  readonly moderate: NonNullable<SeatChanges['moderate']>
}

/**
 * Changes seats, and what follows for their entries; inside a transaction, right after the commit was appended.
 * @param boxed the entries that the commit's state has a box for
 */
export function changeSeats(
  { log, seats, entries }: ChannelRows,
  { add, remove, moderate }: Changes,
  boxed: readonly EntryId[],
  rights: Rights,
  day: number,
): void {
  const left = remove.flatMap((id) => seats.at(id)?.entry ?? [])
  for (const id of remove) seats.remove(id, day)
  for (const one of add) seats.add({ ...one, entry: one.entry.id }, log.standing.last)
  const named = moderate.flatMap(({ seat: id, moderator }) => {
    const seat = seats.at(id)
    if (seat !== undefined) seats.moderate(seat, moderator)
    return seat === undefined ? [] : [{ entry: seat.entry, moderator }]
  })

  const living = new Map<string, boolean>() // entry with a living seat → does one of them moderate?
  for (const { entry, moderator, removedDay } of seats.all()) {
    if (removedDay !== undefined) continue
    const name = nameOf(entry)
    living.set(name, moderator || living.get(name) === true)
  }
  for (const { entry } of add) {
    const moderates = living.get(nameOf(entry.id)) === true
    entries.add(entry, rights === 'given' ? moderates : entries.at(entry.id)?.moderator === true)
  }
  // CHN20: an account that has no living seat now comes back with the rights that its tombstones were given.
  for (const { entry: id, moderator } of named) {
    const entry = entries.at(id)
    if (entry) entries.moderate(entry, living.get(nameOf(id)) ?? moderator)
  }
  // CHN15: for the members it is in all the same. A commit that was void for them took its seat.
  if (rights === 'given') for (const id of boxed) entries.open(id)
  // CHN15: the account was removed. A device that was, of an account that stays, leaves a box behind.
  const kept = new Set(boxed.map(nameOf))
  for (const id of left) {
    const entry = entries.at(id)
    if (entry && !living.has(nameOf(id)) && !kept.has(nameOf(id))) entries.close(entry, day)
  }
}
