import { fromBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { InputError, StoreError } from '#core/errors.ts'
import { placeOf } from '#core/message/roster.ts'
import type { AccountId } from '#core/wire/ids.ts'
import { readAccount } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import type { Agreed, SyncRecord } from '../ports/records.ts'
import type { RowKey } from '../ports/store.ts'

/**
 * A channel that is paused as forked goes on with what the relay shows now (C-06, FRK2): this device gives its state up and
 * comes in anew. Only ever because the person said so. Runs in the channel's turn.
 * @throws InputError 'channel/not-forked', 'channel/no-entry'
 */
export async function repairFork({ store }: Deps, id: string): Promise<void> {
  const [channel, sync, own] = await Promise.all([
    store.get('channels', id),
    store.get('syncs', id),
    readAccount(store),
  ])
  if (channel?.pausedBy !== 'forked' || sync === undefined) throw new InputError('channel/not-forked')
  if (channel.entry === undefined) throw new InputError('channel/no-entry')
  if (own === undefined) throw new StoreError('store/keys-missing')
  const { pausedBy: _, pausedAtMs: __, cameBackAtMs: ___, ...kept } = channel
  const agreed = (await store.list('agreed', { of: id })).map(({ key, record }) => ({
    account: accountIn(key),
    ...record,
  }))
  const repair = { after: agreedUpTo(sync, agreed, own.account) }
  await store.write([{ put: 'channels', key: id, record: { ...kept, state: 'returning', repair, repaired: true } }])
}

/** FRK3: what all who have said anything are known to have seen as this device did. */
export function agreedUpTo(
  sync: Pick<SyncRecord, 'accounts' | 'cursor'>,
  agreed: readonly Agreed[],
  own: AccountId,
): number {
  const since = placeOf(sync, own)?.since ?? 0
  const places = agreed.flatMap(({ account, position }) => {
    const isThere = placeOf(sync, account) !== undefined && !equalBytes(account, own)
    return isThere ? [position] : []
  })
  return Math.min(sync.cursor, Math.max(since, places.length === 0 ? since : Math.min(...places)))
}

function accountIn(key: RowKey): AccountId {
  return fromBase64url(String(typeof key === 'object' ? key[1] : '')) as AccountId
}
