import type { ArgsOf, ReplyOf } from '#core/wire/operations.ts'
import type { NewSeat } from '#core/wire/seats.ts'
import { overQuota, refuse } from '../answer.ts'
import { DAY_MS } from '../clock.ts'
import { resealDrop } from '../drops.ts'
import { winsCommit } from '../rules/ordering.ts'
import type { QueueLimits } from '../rules/quota.ts'
import { judgeSeatChanges } from '../rules/seats.ts'
import type { Entered } from './enter.ts'
import { type Ordering, refusePlaceOrLoad } from './post.ts'
import { nameOf } from './post-ids.ts'

const NO_DROP = new Uint8Array()

/**
 * Orders a commit, changes the seats and puts the welcomes into the outbox: all of it in the caller's transaction, or
 * nothing (C-03, I-14).
 */
export function orderCommit(
  { rows: { log, seats, outbox }, seat }: Entered,
  args: ArgsOf<'channel.commit'>,
  limits: QueueLimits,
  key: Uint8Array,
  day: number,
): Ordering<ReplyOf<'channel.commit'>> {
  const refused = (refusal: ReturnType<typeof refuse>) => ({ answer: refusal, items: [] })
  const before = log.positionsOf([args.id]).get(nameOf(args.id))
  if (before !== undefined) return { answer: { reply: { position: before } }, items: [] } // CHN5
  const refusal = refusePlaceOrLoad(log, args.known, [args], limits)
  if (refusal) return refused({ refusal })
  const { standing } = log
  if (args.after > standing.last.position) return refused(refuse('channel/behind'))
  if (!winsCommit(standing, args.after)) {
    return refused(refuse('channel/commit-lost', { position: standing.lastCommit }))
  }
  const verdict = judgeSeatChanges(seat, args.seats, (id) => seats.at(id), seats.live)
  if (verdict === 'full') return refused(overQuota('seats', DAY_MS))
  if (verdict !== 'allowed') return refused(refuse(`channel/${verdict}`))
  const added = resealed(key, args.seats.add)
  const welcomes = resealed(key, args.welcomes)
  if (added === undefined || welcomes === undefined) return refused(refuse('drop/invalid'))

  const shown = { add: args.seats.add.map((one): NewSeat => ({ ...one, drop: NO_DROP })), remove: args.seats.remove }
  const { id, envelope } = args
  const item = log.append({ id, commits: standing.commits, commit: true, envelope, seats: shown }, day)
  for (const gone of args.seats.remove) seats.remove(gone, day)
  for (const one of added) seats.add(one, log.standing.last)
  for (const welcome of welcomes) outbox.put(welcome.drop, welcome.envelope, day)
  return { answer: { reply: { position: item.position } }, items: [item] }
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
