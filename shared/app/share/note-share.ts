import { equalBytes } from '#core/bytes/equal.ts'
import { InputError } from '#core/errors.ts'
import { type AccountPlace, placeOf } from '#core/message/roster.ts'
import type { AccountId } from '#core/wire/ids.ts'
import { accountOf } from '../account/settle-manifest.ts'
import { readPersonId } from '../contact/mark-verified.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import type { OutboxRecord, SyncRecord } from '../ports/records.ts'
import type { ShareRecord } from '../ports/share-records.ts'
import type { Store } from '../ports/store.ts'
import { countEarlier } from './earlier-lines.ts'
import { postponed } from './keep-share.ts'
import { findShare, newShareKey } from './share-keys.ts'

/**
 * The person shares earlier messages with somebody who came in later (C-11): durable when this resolves, carried out when there is
 * a connection. Runs in the channel's turn.
 * @throws InputError 'channel/unknown', 'history/member', 'history/no-key', 'history/nothing', 'history/busy'
 */
export async function noteShare(deps: Deps, channelId: string, personId: string, fromMs: number): Promise<void> {
  const [channel, sync] = await Promise.all([deps.store.get('channels', channelId), deps.store.get('syncs', channelId)])
  const isIn = channel?.kind === 'group' && channel.left === undefined && channel.request === undefined
  if (!isIn || sync === undefined || channel.leaving) throw new InputError('channel/unknown')
  const to = readPersonId(personId)
  const own = await accountOf(deps)
  const { since, hpkeKey } = placeIn(sync, to)
  if (equalBytes(to, own.account)) throw new InputError('history/member')
  if (hpkeKey === undefined) throw new InputError('history/no-key')
  const known = await findShare(deps.store, channelId, isTo(to))
  if (known?.record.share === 'out' && known.record.failed === undefined) throw new InputError('history/busy')
  const [total = 0] = await countEarlier(deps.store, channelId, since, [fromMs])
  if (total === 0) throw new InputError('history/nothing')
  const record = { share: 'out', to, since, fromMs, total, done: 0 } as const
  await deps.store.write([{ put: 'shares', key: known?.key ?? newShareKey(deps, channelId), record }])
}

/** The relay did not keep what was left there: from the beginning, with another key, and later each time. */
export async function shareAnew(
  deps: Pick<Deps, 'dice' | 'clock'>,
  draft: Draft,
  channelId: string,
  { shared }: Pick<OutboxRecord, 'shared'>,
): Promise<void> {
  if (shared === undefined) return
  const { to, since, fromMs, count: total } = shared
  const anew = (shared.anew ?? 0) + 1
  const known = await findShare(draft, channelId, isTo(to))
  const key = known?.key ?? newShareKey(deps, channelId)
  const record = { share: 'out', to, since, fromMs, total, done: 0, anew, postponed: postponed(deps, anew) } as const
  draft.put('shares', key, record)
}

/** One at a time for each newcomer. */
function isTo(account: AccountId): (record: ShareRecord) => boolean {
  return (record) => record.share === 'out' && equalBytes(record.to, account)
}

/** Where they came in, of somebody who came in after the beginning. @throws InputError 'history/member' */
export function placeIn(
  { accounts }: Pick<SyncRecord, 'accounts'>,
  account: AccountId,
): AccountPlace & { readonly since: number } {
  const place = placeOf({ accounts }, account)
  if (place?.since === undefined) throw new InputError('history/member')
  return { ...place, since: place.since }
}

/** How much there is to share with that member. @throws InputError 'history/member' */
export async function earlierFor(
  store: Pick<Store, 'get' | 'list'>,
  channelId: string,
  personId: string,
  fromMs: readonly number[],
): Promise<readonly number[]> {
  const sync = await store.get('syncs', channelId)
  if (sync === undefined) throw new InputError('channel/unknown')
  const { since } = placeIn(sync, readPersonId(personId))
  return countEarlier(store, channelId, since, fromMs)
}
