import { RelayError } from '#core/errors.ts'
import { discardStaged } from '#core/mls/index.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import type { PendingRecord, Wanted } from '../ports/records.ts'
import { type Loaded, saveGroup } from './loaded.ts'
import { putStash } from './stash.ts'
import { dropOffers, dueAtMs, withoutWanted } from './wanted.ts'

/** What is wrong with this commit and with no other request: it never will be ordered. */
const REFUSED: ReadonlySet<string> = new Set([
  'channel/not-moderator',
  'channel/foreign-seat',
  'channel/one-seat',
  'channel/seat-taken',
  'channel/seat-twice',
  'channel/last-moderator',
  'drop/invalid',
  'envelope/address',
  'envelope/size',
])
/** That many seats there never will be (CHN8): who was to come in does not. */
const FULL = 'quota/seats'
const ASK_AGAIN_MS = 10_000

/** `ordered`: it was, or another one. `gone`: what is not wanted any more. */
export type Offered =
  | { readonly is: 'ordered' }
  | { readonly is: 'refused'; readonly gone: readonly Wanted[] }
  | { readonly is: 'later'; readonly atMs: number }

/**
 * Offers the staged commit to the relay. It goes out unchanged until the relay has ordered it or names another winner:
 * in one epoch this device never builds a second one.
 * Either way there is something to fetch then: the own commit at its place, or the one that won.
 */
export async function offerCommit(deps: Deps, loaded: Loaded, pending: PendingRecord): Promise<Offered> {
  const { notBeforeMs } = pending
  if (notBeforeMs !== undefined && notBeforeMs > deps.clock.now()) return { is: 'later', atMs: notBeforeMs }
  const { address, seat, token, cursor, head } = loaded.sync
  const known = { position: cursor, head }
  const { id, after, envelope, seats, welcomes, state } = pending
  const stash = pending.stash && { id: pending.stash.id, pieces: pending.stash.pieces.length }
  const offered = { id, after, envelope, seats, welcomes, ...(state && { state }), ...(stash && { stash }) }
  try {
    await putStash(deps, loaded.sync, pending)
    await deps.relay.call('channel.commit', { address, seat, token, known, ...offered })
    return { is: 'ordered' }
  } catch (error) {
    if (!(error instanceof RelayError)) throw error
    if (error.code === 'channel/commit-lost') return { is: 'ordered' }
    if (REFUSED.has(error.code)) return { is: 'refused', gone: pending.settles }
    if (error.code === FULL) return { is: 'refused', gone: arrivalsIn(pending) }
    if (!error.retryable || error.code === 'relay/unreachable') throw error
    const atMs = deps.clock.now() + Math.max(ASK_AGAIN_MS, Number(error.detail.waitMs ?? 0))
    await deps.store.write([{ put: 'pendings', key: loaded.id, record: { ...pending, notBeforeMs: atMs } }])
    return { is: 'later', atMs }
  }
}

/** What is written is for those who are there afterwards: who is to be put out does not read it, who is to come in first does. */
export function isAwaited({ channel, sync }: Loaded, { removed }: PendingRecord, nowMs: number): boolean {
  const isToGo = (wanted: Wanted): boolean =>
    (wanted.want === 'exclude' || wanted.want === 'remove') && dueAtMs(wanted) <= nowMs
  return channel.state === 'joining' || removed.length > 0 || sync.wanted.some(isToGo)
}

function arrivalsIn({ settles }: PendingRecord): readonly Wanted[] {
  const arrivals = settles.filter(({ want }) => want === 'add' || want === 'person')
  return arrivals.length > 0 ? arrivals : settles
}

/**
 * A commit that is refused for good holds up nothing: what it wanted is let go, and so is the key that sealed it (I-04). What
 * a manifest says is wanted again with the next epoch.
 */
export async function dropCommit(deps: Deps, before: Loaded, gone: readonly Wanted[]): Promise<Loaded> {
  const { next: group, spent } = await discardStaged(before.group)
  const sync = withoutWanted(before.sync, gone)
  const draft = new Draft(deps.store)
  saveGroup(draft, before.id, group, before.group)
  draft.delete('pendings', before.id)
  draft.put('syncs', before.id, sync)
  dropOffers(draft, gone)
  draft.spend(spent)
  await draft.commit()
  return { ...before, group, sync }
}
