import { RelayError } from '#core/errors.ts'
import { discardStaged } from '#core/mls/index.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import type { PendingRecord } from '../ports/records.ts'
import { type Loaded, saveGroup } from './loaded.ts'
import { putStash } from './stash.ts'
import { dropOffers, withoutWanted } from './wanted.ts'

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

/**
 * Offers the staged commit to the relay. It goes out unchanged until the relay has ordered it or names another winner:
 * in one epoch this device never builds a second one.
 * Either way there is something to fetch then: the own commit at its place, or the one that won.
 * @returns false when the relay will never take it
 */
export async function offerCommit(deps: Deps, loaded: Loaded, pending: PendingRecord): Promise<boolean> {
  const { address, seat, token, cursor, head } = loaded.sync
  const known = { position: cursor, head }
  const { id, after, envelope, seats, welcomes, state } = pending
  const stash = pending.stash && { id: pending.stash.id, pieces: pending.stash.pieces.length }
  const offered = { id, after, envelope, seats, welcomes, ...(state && { state }), ...(stash && { stash }) }
  try {
    await putStash(deps, loaded.sync, pending)
    await deps.relay.call('channel.commit', { address, seat, token, known, ...offered })
    return true
  } catch (error) {
    if (!(error instanceof RelayError)) throw error
    if (REFUSED.has(error.code)) return false
    if (error.code !== 'channel/commit-lost') throw error
    return true
  }
}

/**
 * A commit that is refused for good holds up nothing: what it wanted is let go, and so is the key that sealed it (I-04). What
 * a manifest says is wanted again with the next epoch.
 */
export async function dropCommit(deps: Deps, before: Loaded, pending: PendingRecord): Promise<Loaded> {
  const { next: group, spent } = await discardStaged(before.group)
  const sync = withoutWanted(before.sync, pending.settles)
  const draft = new Draft(deps.store)
  saveGroup(draft, before.id, group, before.group)
  draft.delete('pendings', before.id)
  draft.put('syncs', before.id, sync)
  dropOffers(draft, pending.settles)
  draft.spend(spent)
  await draft.commit()
  return { ...before, group, sync }
}
