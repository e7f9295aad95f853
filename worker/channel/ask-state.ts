import type { EntryId, SeatId } from '#core/wire/ids.ts'
import { MAX_TOLD } from '#core/wire/limits.ts'
import type { ArgsOf, ReplyOf } from '#core/wire/operations.ts'
import { type Answer, DONE, refuse } from '../answer.ts'
import { MAX_ANSWERS, toldNext } from '../rules/asks.ts'
import { winsCommit } from '../rules/ordering.ts'
import type { Admitted, Entered } from './enter.ts'
import { isOpen } from './entries.ts'
import type { ChannelRows } from './rows.ts'
import type { Seat } from './seats.ts'

type Asked = { readonly answer: Answer<ReplyOf<'channel.ask'>>; readonly tell: readonly Seat[] }

/** CHN23: this entry wants the state of the epoch that there is. Inside a transaction. @returns whom to tell */
export function askState({ rows, entry }: Admitted, refused: number | undefined, day: number): Asked {
  const { state, asks, log } = rows
  const isAnew = refused !== undefined && state.refuse(entry.id, refused)
  asks.add(entry.id, day)
  if (state.has(entry.id, log.standing.lastCommit)) return { answer: DONE, tell: [] }
  return { answer: DONE, tell: asks.toldSoFar === 0 || isAnew ? tellMore(rows) : [] }
}

/**
 * Some more of the living seats, by chance; nobody when nobody waits. When all were told, those who did not answer are
 * told again. Inside a transaction.
 */
export function tellMore(rows: ChannelRows): readonly Seat[] {
  const { asks, seats, log } = rows
  if (waiting(rows).length === 0) return []
  const living = [...seats.all()].filter(({ removedDay }) => removedDay === undefined)
  if (living.every(({ id }) => asks.was(id) !== undefined)) asks.forgetTold()
  const told = toldNext(
    living.filter(({ id }) => asks.was(id) === undefined),
    log.standing.last.head,
    asks.toldSoFar,
  )
  for (const { id } of told) asks.tell(id)
  return told
}

/** Entries that wait and have no box of this epoch; nobody when members have left enough for it. */
export function waiting({ asks, state, log, entries }: ChannelRows): readonly EntryId[] {
  if (asks.isEmpty || asks.answers >= MAX_ANSWERS) return []
  const { lastCommit } = log.standing
  const open = [...asks.all()].filter(({ entry }) => isOpen(entries.at(entry)))
  return open.map(({ entry }) => entry).filter((entry) => !state.has(entry, lastCommit))
}

/** What a fetch tells this seat of them. */
export function waitingFor(rows: ChannelRows, seat: SeatId): readonly EntryId[] {
  return rows.asks.was(seat) === 'told' ? waiting(rows).slice(0, MAX_TOLD) : []
}

/** CHN23: of seats that were asked alone, each once an epoch. Inside a transaction. */
export function leaveState(
  { rows, seat }: Entered,
  { after, state: left, stash: name }: Pick<ArgsOf<'channel.answer'>, 'after' | 'state' | 'stash'>,
  day: number,
): Answer<ReplyOf<'channel.answer'>> {
  const { asks, log, state, stash, entries } = rows
  if (asks.was(seat.id) !== 'told' || waiting(rows).length === 0) return refuse('state/unasked')
  if (!winsCommit(log.standing, after)) return refuse('channel/commit-lost', { position: log.standing.lastCommit })
  if (name !== undefined && !stash.nameByState(name, seat.entry, day)) return refuse('stash/incomplete')
  state.leave(log.standing.lastCommit, left, name, (id) => isOpen(entries.at(id)), stash)
  asks.answered(seat.id)
  return DONE
}
