import type { ArgsOf, Place } from '#core/wire/operations.ts'
import type { NewSeat } from '#core/wire/seats.ts'
import { overQuota, refuse } from '../answer.ts'
import { DAY_MS } from '../clock.ts'
import { resealDrop } from '../drops.ts'
import { winsCommit } from '../rules/ordering.ts'
import { fits, QUEUE_WAIT_MS, type QueueLimits, WAITING_WELCOME_BYTES, WAITING_WELCOMES } from '../rules/quota.ts'
import { judgeEnter, judgeSeatChanges, type SeatVerdict } from '../rules/seats.ts'
import { changeSeats, type Rights } from './change-seats.ts'
import type { Admitted, Entered } from './enter.ts'
import { isOpen } from './entries.ts'
import type { Outbox } from './outbox.ts'
import { type Ordering, refusePlaceOrLoad } from './post.ts'
import { nameOf } from './post-ids.ts'
import type { ChannelRows } from './rows.ts'

const NO_DROP = new Uint8Array()

/** What a commit is ordered with, besides its own arguments. */
export type Means = { readonly limits: QueueLimits; readonly key: Uint8Array; readonly day: number }
type Proposal = Pick<ArgsOf<'channel.commit'>, 'id' | 'after' | 'envelope' | 'seats' | 'state' | 'stash'> & {
  readonly known: Place
  readonly welcomes: ArgsOf<'channel.commit'>['welcomes']
}

export function orderCommit(
  { rows, seat }: Entered,
  args: ArgsOf<'channel.commit'>,
  means: Means,
): Ordering<{ readonly position: number }> {
  const { seats } = rows
  const rights = seat.moderator ? 'given' : 'kept'
  return order(rows, args, means, rights, () => judgeSeatChanges(seat, args.seats, seats))
}

/** CHN16: an external commit by a device of an account that has an entry; it knows no place, and welcomes nobody. */
export function orderEnter(
  { rows, entry }: Admitted,
  args: ArgsOf<'channel.enter'>,
  means: Means,
): Ordering<{ readonly position: number }> {
  const { log, seats, asks } = rows
  const proposal = { ...args, known: log.standing.last, welcomes: [] }
  const ordering = order(rows, proposal, means, 'kept', () => judgeEnter(entry, args.seats, seats))
  if (ordering.items.length > 0) asks.delete(entry.id)
  return ordering
}

/**
 * Orders a commit, changes seats, entries and state, and puts the welcomes into the outbox: all of it in the caller's
 * transaction, or nothing (C-03, I-14).
 */
function order(
  rows: ChannelRows,
  args: Proposal,
  { limits, key, day }: Means,
  rights: Rights,
  judge: () => SeatVerdict,
): Ordering<{ readonly position: number }> {
  const { log, outbox, entries, state, stash, asks } = rows
  const refused = (refusal: ReturnType<typeof refuse>) => ({ answer: refusal, items: [] })
  const before = log.positionsOf([args.id]).get(nameOf(args.id))
  if (before !== undefined) return { answer: { reply: { position: before } }, items: [] } // CHN5
  const refusal = refusePlaceOrLoad(log, args.known, [args], limits)
  if (refusal) return refused({ refusal })
  if (!hasRoom(outbox, args.welcomes)) return refused(overQuota('channel', QUEUE_WAIT_MS))
  const { standing } = log
  if (args.after > standing.last.position) return refused(refuse('channel/behind'))
  if (!winsCommit(standing, args.after)) {
    return refused(refuse('channel/commit-lost', { position: standing.lastCommit }))
  }
  const verdict = judge()
  if (verdict === 'full') return refused(overQuota('seats', DAY_MS))
  if (verdict !== 'allowed') return refused(refuse(`channel/${verdict}`))
  if (args.stash && !stash.isWhole(args.stash)) return refused(refuse('stash/incomplete')) // CHN21
  const added = resealed(key, args.seats.add)
  const welcomes = resealed(key, args.welcomes)
  if (added === undefined || welcomes === undefined) return refused(refuse('drop/invalid'))

  const shown = { ...args.seats, add: args.seats.add.map((one): NewSeat => ({ ...one, drop: NO_DROP })) }
  const { id, envelope } = args
  const item = log.append({ id, commits: standing.commits, commit: true, envelope, seats: shown }, day)
  const boxed = (args.state?.boxes ?? []).map(({ entry }) => entry)
  changeSeats(rows, { moderate: [], ...args.seats, add: added }, boxed, rights, day)
  state.outdate(stash)
  asks.forgetSeats()
  if (args.state) state.replace(item.position, args.state, (id) => isOpen(entries.at(id)))
  if (args.stash) stash.name(args.stash, day)
  const numbers = welcomes.map((welcome) => outbox.put(welcome.drop, welcome.envelope, day))
  const [first, last] = [numbers[0], numbers.at(-1)]
  const answer = { reply: { position: item.position } }
  return first === undefined || last === undefined
    ? { answer, items: [item] }
    : { answer, items: [item], welcomes: { first, last } }
}

/** DRP8. */
function hasRoom(outbox: Outbox, welcomes: Proposal['welcomes']): boolean {
  const more = { count: welcomes.length, bytes: welcomes.reduce((sum, { envelope }) => sum + envelope.length, 0) }
  return fits(outbox.load, more, { count: WAITING_WELCOMES, bytes: WAITING_WELCOME_BYTES })
}

/** @returns undefined when one of them is not a drop of this realm */
function resealed<T extends { readonly drop: Uint8Array }>(key: Uint8Array, given: readonly T[]): T[] | undefined {
  const out: T[] = []
  for (const one of given) {
    const drop = resealDrop(key, one.drop)
    if (drop === undefined) return undefined
    out.push({ ...one, drop })
  }
  return out
}
