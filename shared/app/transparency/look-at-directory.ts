import { readAccount } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import type { Change } from '../ports/store.ts'
import { type Wrong, withAlarms } from './alarms.ts'
import { compareChannels } from './compare-channels.ts'
import { noteOwn } from './compare-own.ts'
import { compareViews } from './compare-views.ts'
import { findManifests } from './find-manifests.ts'
import { followHead } from './follow-head.ts'
import { pinListKey } from './list-key.ts'
import { lookThroughOwn } from './look-through-own.ts'
import { readTransparency } from './record.ts'
import { noteSameNames } from './same-names.ts'

export type LookedAt = {
  readonly isNews: boolean // contacts have newer manifests
  readonly isOwnNews: boolean // and so has this account
  readonly again: boolean // something is not in the log yet, or there was too much to look for
}
/** What the realm has taken is looked for often at first; what is not there then, with the next look. */
const SOON_MS = 10 * 60_000
const NOTHING: LookedAt = { isNews: false, isOwnNews: false, again: false }

/**
 * Everything that this device can compare now (K-13): the realm's log with what it was before, with what others were shown,
 * with the manifests that are used here, and with what this account's devices made. Nothing waits for it; what it finds is
 * told to the person, and stops what goes to whom they have verified (K-11). Runs in the turn 'realm', needs a connection.
 */
export async function lookAtDirectory(deps: Deps): Promise<LookedAt> {
  const account = await readAccount(deps.store)
  if (account === undefined || account.revoked) return NOTHING
  await noteSameNames(deps)
  const pinned = await pinListKey(deps, await noteOwn(deps, await readTransparency(deps.store)))
  const before = pinned.record
  const told = await deps.store.list('views') // before the head is asked for: what comes meanwhile may be of a longer log (TRC4)
  const followed = 'wrong' in pinned ? pinned : await followHead(deps, before.head, pinned.listKey)
  const head = 'head' in followed ? followed.head : undefined
  const found: Wrong[] = 'wrong' in followed ? [followed.wrong] : []
  let record = head === undefined ? before : { ...before, head }

  const views = await compareViews(deps, record, head, told)
  found.push(...views.found)
  const channels = await compareChannels(deps)
  found.push(...channels.found)
  let isOwnNews = views.isOwnNews || channels.isOwnNews
  let again = false
  // What can't be shown to lie in one log says nothing of what is in it.
  if (head !== undefined) {
    const hasGrown = head.size !== before.head?.size
    const own = hasGrown ? await lookThroughOwn(deps, record) : { record, found: [], isOwnNews: false }
    const manifests = await findManifests(deps, own.record, head)
    found.push(...own.found, ...manifests.found)
    isOwnNews ||= own.isOwnNews
    const sinceMs = deps.clock.now() - SOON_MS
    again = manifests.more || manifests.record.waiting.some((one) => one.sinceMs > sinceMs)
    record = manifests.record
  }
  record = withAlarms(await noteOwn(deps, record), found, deps.clock.now())
  const changes: Change[] = [
    { put: 'meta', key: 'transparency', record },
    ...views.done.map((key): Change => ({ delete: 'views', key })),
  ]
  await deps.store.write(changes)
  if (found.length > 0) deps.changes.announce({ what: 'people' })
  return { isNews: views.isNews || channels.isNews, isOwnNews, again }
}
