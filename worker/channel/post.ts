import type { Refusal } from '#core/wire/message.ts'
import type { ArgsOf, Ordered, Place, PostResult, ReplyOf } from '#core/wire/operations.ts'
import { type Answer, overQuota, refuse } from '../answer.ts'
import { compareKnown, isStale } from '../rules/ordering.ts'
import { fits, QUEUE_WAIT_MS, type QueueLimits } from '../rules/quota.ts'
import type { Entered } from './enter.ts'
import type { ChannelLog } from './log.ts'
import type { Span } from './outbox.ts'
import { nameOf } from './post-ids.ts'

export type Ordering<T> = {
  readonly answer: Answer<T>
  readonly items: readonly Ordered[]
  readonly welcomes?: Span // of its commit, in the outbox
}

/** Gives each envelope that has none its position in the channel's order. Inside a transaction. */
export function orderPosts(
  { rows: { log, stash }, seat }: Entered,
  { known, posts }: Pick<ArgsOf<'channel.post'>, 'known' | 'posts'>,
  limits: QueueLimits,
  day: number,
): Ordering<ReplyOf<'channel.post'>> {
  const positions = new Map(log.positionsOf(posts.map(({ id }) => id))) // CHN5: a resend is answered alike, whatever else holds
  const fresh = positions.size === 0 ? posts : posts.filter(({ id }) => !positions.has(nameOf(id)))
  if (fresh.length > 0) {
    const ahead = fresh.some(({ commits }) => commits > log.standing.commits)
    const refusal = ahead ? refuse('channel/behind').refusal : refusePlaceOrLoad(log, known, fresh, limits)
    if (refusal) return { answer: { refusal }, items: [] }
  }
  const items: Ordered[] = []
  const results = posts.map(({ id, commits, envelope, stash: named }): PostResult => {
    const name = nameOf(id)
    const position = positions.get(name)
    if (position !== undefined) return { id, outcome: 'ordered', position }
    if (isStale(log.standing, commits)) return { id, outcome: 'stale', position: log.standing.lastCommit }
    if (named !== undefined && !stash.nameByPost(named, seat.entry, day)) {
      return { id, outcome: 'incomplete', position: log.standing.lastCommit } // CHN22
    }
    const item = log.append({ id, commits, commit: false, envelope }, day)
    positions.set(name, item.position)
    items.push(item)
    return { id, outcome: 'ordered', position: item.position }
  })
  return { answer: { reply: { results } }, items }
}

/** CHN4 and the queue's limits: nothing is written when either refuses. */
export function refusePlaceOrLoad(
  log: ChannelLog,
  known: Place,
  fresh: readonly { readonly envelope: Uint8Array }[],
  limits: QueueLimits,
): Refusal | undefined {
  const comparison = compareKnown(log.standing.last, known, log.headAt(known.position))
  if (comparison !== 'same') return refuse(`channel/${comparison}`).refusal
  const more = { count: fresh.length, bytes: fresh.reduce((sum, { envelope }) => sum + envelope.length, 0) }
  const most = { count: limits.queuedEnvelopes, bytes: limits.queuedBytes }
  return fits(log.queued, more, most) ? undefined : overQuota('channel', QUEUE_WAIT_MS).refusal
}
