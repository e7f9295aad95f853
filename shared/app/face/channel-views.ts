import { unreadOf } from '../channel/unread.ts'
import type { ChannelView } from '../face.ts'
import { preview } from '../message/lines.ts'
import type { Store } from '../ports/store.ts'

/** The channel list from four small tables; its cost does not grow with the history. */
export async function channelViews(store: Pick<Store, 'list'>): Promise<readonly ChannelView[]> {
  const [channels, reads, drafts, intents] = await Promise.all([
    store.list('channels'),
    store.list('reads'),
    store.list('drafts'),
    store.list('intents'),
  ])
  const readOf = new Map(reads.map((row) => [row.key, row.record]))
  const draftOf = new Map(drafts.map((row) => [row.key, row.record.text]))
  const writtenOf = new Map(
    intents.flatMap(({ record }) => (record.intent === 'text' ? [[record.channelId, record] as const] : [])),
  )
  // What only lines of the log told of so far has no name yet.
  const named = channels.filter(({ record }) => record.state !== 'returning' || record.title !== '')
  return named.map(({ key, record }) => {
    const id = String(key)
    const written = writtenOf.get(id) // by a face, and not yet taken up by the engine
    return {
      id,
      kind: record.kind,
      title: record.title,
      state: record.state,
      lastText: written === undefined ? record.lastText : preview(written.text),
      lastAtMs: written?.atMs ?? record.lastAtMs,
      lastState: written === undefined ? record.lastState : 'waiting',
      unread: unreadOf(record, readOf.get(id)),
      draft: draftOf.get(id) ?? '',
    }
  })
}
