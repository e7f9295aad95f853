import { equalBytes } from '#core/bytes/equal.ts'
import { RelayError, StoreError, WireError } from '#core/errors.ts'
import { deviceSigner } from '../account/device-signer.ts'
import { readDevice } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import type { ChannelRecord } from '../ports/records.ts'
import { loadGroup } from './loaded.ts'

/**
 * FRK2: where the story that the relay shows now is this device's own, there is nothing to come in to: it goes on with the state
 * that it has. So a member who shows a head that never was can't make all others give up their states at once, when nobody would
 * be left whom the next commit lets in.
 * @returns whether it does
 */
export async function keepOwn(deps: Deps, id: string, channel: ChannelRecord): Promise<boolean> {
  const { store } = deps
  // A commit that brings it in may be ordered already, in place of its own leaf.
  const [sync, enter] = await Promise.all([store.get('syncs', id), store.get('enters', id)])
  if (sync === undefined || enter !== undefined || !(await isWhole(deps, id))) return false
  const { address, seat, token, cursor, head } = sync
  let goneOnUpTo = cursor
  try {
    const { from, envelopes } = await deps.relay.call('channel.fetch', { address, seat, token, after: cursor })
    if (from.position !== cursor || !equalBytes(from.head, head)) return false
    goneOnUpTo += envelopes.length // what it gives, not how far it says to be: it could say anything
  } catch (error) {
    if (error instanceof RelayError && !error.retryable) return false // no seat in that story, or it is not as long
    throw error
  }
  const { repair: _, lostAtMs: __, ...kept } = channel
  await store.write([
    { put: 'channels', key: id, record: { ...kept, state: 'open' } },
    { put: 'syncs', key: id, record: { ...sync, goneOnUpTo } },
  ])
  return true
}

async function isWhole({ store, handles }: Deps, id: string): Promise<boolean> {
  try {
    return (await loadGroup(store, id, await deviceSigner(handles, await readDevice(store)))) !== undefined
  } catch (error) {
    if (error instanceof WireError || error instanceof StoreError) return false
    throw error
  }
}
