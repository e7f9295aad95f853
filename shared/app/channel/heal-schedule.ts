import { equalBytes } from '#core/bytes/equal.ts'
import { epochOf } from '#core/mls/index.ts'
import type { Ordered } from '#core/wire/operations.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import type { PendingRecord, SyncRecord, Wanted } from '../ports/records.ts'
import type { Loaded } from './loaded.ts'
import { spread } from './spread.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const EVERY_MS = 7 * DAY_MS
const JITTER_MS = DAY_MS
/** One such commit in so long, whoever makes it: each costs all members a fetch. */
const APART_MS = 60 * 60 * 1000

/** Up to so many devices all newcomers together take no longer than one. */
const FEW = 8
const NEWCOMER_MS = 20_000

/**
 * After joining, a device commits once, so that the tree stays cheap: within this time, by chance. In a large channel all
 * may be newcomers, and three commits a minute are enough for everybody (HEAL5).
 */
export function healWithinMs(devices: number): number {
  return NEWCOMER_MS * Math.max(1, devices - FEW)
}

/** C-08: this device brings new keys about once a week (HEAL1), unless somebody has just committed: then a while later (HEAL2). */
export async function scheduleHeal(deps: Deps, loaded: Loaded): Promise<Loaded> {
  const nowMs = deps.clock.now()
  const { nextHealMs, committedAtMs = 0 } = loaded.sync
  if (loaded.channel.state !== 'open' || (nextHealMs !== undefined && nextHealMs > nowMs)) return loaded
  const sync = nextHealMs === undefined ? inAWeek(deps, loaded.sync) : due(deps, loaded.sync, committedAtMs)
  const draft = new Draft(deps.store)
  draft.put('syncs', loaded.id, sync)
  await draft.commit()
  return { ...loaded, sync }
}

/** What commits that were just applied mean for the schedule: the own one starts it anew. */
export function noteCommits(
  deps: Deps,
  before: Loaded,
  { group, sync }: Loaded,
  pending: PendingRecord | undefined,
  items: readonly Ordered[],
): SyncRecord {
  if (sync.commits === before.sync.commits) return sync
  const nowMs = deps.clock.now()
  const noted = { ...sync, committedAtMs: nowMs }
  const isOwn = items.some((item) => item.commit && pending && equalBytes(pending.envelope, item.envelope))
  const hasBegun = epochOf(group) !== epochOf(before.group)
  return isOwn && hasBegun ? inAWeek(deps, { ...noted, healedAtMs: nowMs }) : noted
}

function inAWeek(deps: Deps, sync: SyncRecord): SyncRecord {
  return { ...sync, nextHealMs: deps.clock.now() + EVERY_MS - JITTER_MS + spread(deps, 2 * JITTER_MS) }
}

function due(deps: Deps, sync: SyncRecord, committedAtMs: number): SyncRecord {
  const nowMs = deps.clock.now()
  const isSoon = nowMs < committedAtMs + APART_MS
  const nextHealMs = (isSoon ? committedAtMs : nowMs) + APART_MS + spread(deps, APART_MS)
  if (isSoon || sync.wanted.some(({ want }) => want === 'heal')) return { ...sync, nextHealMs }
  // Let go when somebody else's commit comes first, and due again after a while.
  const heal: Wanted = { want: 'heal', notBeforeMs: nowMs, forState: true }
  return { ...sync, nextHealMs, wanted: [...sync.wanted, heal] }
}
