import { equalBytes } from '#core/bytes/equal.ts'
import { StateError } from '#core/errors.ts'
import type { Ordered, ReplyOf } from '#core/wire/operations.ts'
import { readAccount } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { missLines } from '../message/seam.ts'
import { noteStateWanted } from './answer-state.ts'
import { applyOrdered } from './apply-ordered.ts'
import { forked } from './compare-seen.ts'
import { forgetHeads, noteHead } from './heads.ts'
import type { Loaded } from './loaded.ts'
import { giveUp, isForked, isHeld } from './return.ts'

/** Fetches from the cursor to the channel's end and applies it, batch by batch. `came`: how many messages, as each is on disk. */
export async function fetchOrdered(deps: Deps, before: Loaded, came: (arrived: number) => void): Promise<Loaded> {
  let loaded = before
  if (isForked(loaded)) return loaded // FRK1: nor is the relay heard, which could say that the place is lost
  for (;;) {
    const { address, seat, token, cursor } = loaded.sync
    const reply = await deps.relay.call('channel.fetch', { address, seat, token, after: cursor })
    loaded = await startFrom(deps, loaded, reply)
    if (isHeld(loaded)) return loaded
    const applied = await applyOrdered(deps, loaded, reply.envelopes)
    loaded = applied.loaded
    came(applied.arrived)
    if (isHeld(loaded)) return loaded
    const isStuck = loaded.sync.cursor === cursor // an answer that leads nowhere is not asked for again at once
    const { position, head } = reply.last
    if (loaded.sync.cursor === position && !equalBytes(loaded.sync.head, head)) return pauseForked(deps, loaded)
    if (loaded.sync.cursor >= position || isStuck) return noteStateWanted(deps, loaded, reply.wanted)
  }
}

/**
 * Where the relay's answer starts. A joiner takes its first place from here (members compare it in what they send, C-06);
 * later on, a start past the cursor means that the relay no longer has what lies between (T-05), and that is said (M-09).
 */
async function startFrom(deps: Deps, loaded: Loaded, reply: ReplyOf<'channel.fetch'>): Promise<Loaded> {
  const { sync } = loaded
  const { from } = reply
  if (from.position === sync.cursor) return loaded
  if (from.position < sync.cursor) throw new StateError('channel/behind')
  if (sync.joinedAt !== undefined && missedCommits(sync, reply)) return giveUp(deps, loaded)
  const draft = new Draft(deps.store)
  await forgetHeads(deps.store, draft, loaded.id)
  noteHead(draft, loaded.id, from.position, from.head)
  const start = { cursor: from.position, head: from.head }
  let next: Loaded['sync'] = { ...sync, ...start }
  if (sync.joinedAt === undefined) {
    // Who came in by the very commit that brought this device: its place is known from here on.
    const accounts = sync.accounts.map((place) => ({ since: from.position, ...place }))
    next = { ...next, accounts, joinedAt: from.position, lastCommit: from.position, ...countedFrom(sync, reply) }
  }
  let started: Loaded = { ...loaded, sync: next }
  const own = await readAccount(deps.store)
  if (sync.joinedAt !== undefined && own !== undefined) {
    const stretch = { after: sync.cursor, upTo: from.position + 1, cause: 'channel/gap' }
    started = await missLines(deps, draft, started, own, stretch)
  }
  draft.put('syncs', loaded.id, started.sync)
  draft.put('channels', loaded.id, started.channel)
  await draft.commit()
  return started
}

/** Past retention (T-05): what began the next epoch is gone, and nothing that follows can be opened. */
function missedCommits(sync: Loaded['sync'], { envelopes, lastCommit }: ReplyOf<'channel.fetch'>): boolean {
  const [first] = envelopes
  return first === undefined ? lastCommit !== sync.lastCommit : first.commits > sync.commits
}

/**
 * How many commits there were when this device came in. Its introduction said so before the commit was ordered, and a void
 * commit in between makes it one more; the key is the same.
 */
function countedFrom(
  sync: Loaded['sync'],
  { envelopes, commits, last }: ReplyOf<'channel.fetch'>,
): Partial<Loaded['sync']> {
  if (envelopes.length > 0 && envelopes.at(-1)?.position !== last.position) return {}
  const atStart = commits - envelopes.filter((item) => item.commit).length
  if (atStart === sync.commits) return {}
  return { commits: atStart, keys: sync.keys.map((known) => ({ ...known, commits: atStart })) }
}

/** The relay's own end of the chain is not the one that its envelopes lead to: two stories (C-06). */
export async function pauseForked(deps: Deps, loaded: Loaded): Promise<Loaded> {
  const draft = new Draft(deps.store)
  const channel = forked(loaded.channel, deps.clock.now())
  draft.put('channels', loaded.id, channel)
  await draft.commit()
  return { ...loaded, channel }
}

/** Envelopes that rode in a wake: applied when they are the very next ones, else the fetch will bring them. */
export function followsCursor({ sync }: Loaded, items: readonly Ordered[]): boolean {
  return items.some((item) => item.position === sync.cursor + 1)
}
