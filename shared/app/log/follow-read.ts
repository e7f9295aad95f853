import { theirsUpTo } from '../channel/unread.ts'
import type { Store } from '../ports/store.ts'

/** What another device of the account has read before it came to this one is not unread here. Runs in the channel's turn. */
export async function followRead(store: Pick<Store, 'get' | 'list' | 'write'>, channelId: string): Promise<void> {
  const read = await store.get('reads', channelId)
  if (read === undefined) return
  const theirs = await theirsUpTo(store, channelId, read.order)
  if (theirs > read.theirs) await store.write([{ put: 'reads', key: channelId, record: { ...read, theirs } }])
}
