import { equalBytes } from '#core/bytes/equal.ts'
import { StateError } from '#core/errors.ts'
import type { Ordered } from '#core/wire/operations.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { addLine } from '../message/lines.ts'
import { applyOrdered } from './apply-ordered.ts'
import type { Loaded } from './loaded.ts'

/** Fetches from the cursor to the channel's end and applies it, batch by batch. */
export async function fetchOrdered(deps: Deps, before: Loaded): Promise<{ loaded: Loaded; arrived: number }> {
  let loaded = before
  let arrived = 0
  for (;;) {
    const { address, seat, token, cursor } = loaded.sync
    const reply = await deps.relay.call('channel.fetch', { address, seat, token, after: cursor })
    loaded = await startFrom(deps, loaded, reply.from)
    if (loaded.channel.state === 'paused') return { loaded, arrived }
    const applied = await applyOrdered(deps, loaded, reply.envelopes)
    loaded = applied.loaded
    arrived += applied.arrived
    const { position, head } = reply.last
    if (loaded.sync.cursor === position && !equalBytes(loaded.sync.head, head)) throw new StateError('channel/head')
    if (loaded.sync.cursor >= position || reply.envelopes.length === 0) return { loaded, arrived }
  }
}

/**
 * Where the relay's answer starts. A joiner takes its first place from here (members compare it in what they send, C-06);
 * later on, a start past the cursor means that the relay no longer has what lies between (T-05), and that is said (M-09).
 */
async function startFrom(
  deps: Deps,
  loaded: Loaded,
  from: { position: number; head: Loaded['sync']['head'] },
): Promise<Loaded> {
  const { sync } = loaded
  if (from.position === sync.cursor) return loaded
  if (from.position < sync.cursor) throw new StateError('channel/behind')
  const draft = new Draft(deps.store)
  let { channel } = loaded
  if (sync.joinedAt !== undefined) {
    const line = { kind: 'unreadable', cause: 'channel/gap', messageId: deps.dice(16), atMs: deps.clock.now() } as const
    channel = await addLine(draft, loaded, sync.cursor + 1, line)
  }
  const next: Loaded['sync'] = {
    ...sync,
    joinedAt: sync.joinedAt ?? from.position,
    lastCommit: sync.joinedAt === undefined ? from.position : sync.lastCommit,
    cursor: from.position,
    head: from.head,
    heads: [{ position: from.position, head: from.head }],
    ahead: sync.ahead.filter((own) => own > from.position),
  }
  draft.put('syncs', loaded.id, next)
  draft.put('channels', loaded.id, channel)
  await draft.commit()
  return { ...loaded, sync: next, channel }
}

/** Envelopes that rode in a wake: applied when they are the very next ones, else the fetch will bring them. */
export function followsCursor({ sync }: Loaded, items: readonly Ordered[]): boolean {
  return items.some((item) => item.position === sync.cursor + 1)
}
