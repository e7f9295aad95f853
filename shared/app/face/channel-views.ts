import { readAccount } from '../account/read-account.ts'
import { mutedOf } from '../channel/quiet.ts'
import { unreadOf } from '../channel/unread.ts'
import { blockedChannels } from '../contact/block.ts'
import type { ChannelView } from '../face.ts'
import { mayLetIn } from '../join/may-let-in.ts'
import { preview } from '../message/lines.ts'
import type { ChannelRecord } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'
import { homesIn } from '../space/agreement.ts'
import { requestOf } from './channel-details.ts'
import { askingIn } from './join-views.ts'
import { spaceOfView } from './space-views.ts'

/** The channel list from four small tables; its cost does not grow with the history. */
export async function channelViews(store: Pick<Store, 'get' | 'list'>, nowMs: number): Promise<readonly ChannelView[]> {
  const [channels, reads, drafts, intents, blocked] = await Promise.all([
    store.list('channels'),
    store.list('reads'),
    store.list('drafts'),
    store.list('intents'),
    blockedChannels(store),
  ])
  const asking = await askingIn(store)
  const own = asking.size > 0 ? await readAccount(store) : undefined
  const readOf = new Map(reads.map((row) => [row.key, row.record]))
  const draftOf = new Map(drafts.map((row) => [row.key, row.record.text]))
  const writtenOf = new Map(
    intents.flatMap(({ record }) => (record.intent === 'text' ? [[record.channelId, record] as const] : [])),
  )
  const homes = homesIn(channels.map(({ key, record }) => ({ id: String(key), channel: record })))
  // What only lines of the log told of so far has no name yet.
  const named = channels.filter(({ record }) => record.state !== 'returning' || record.title !== '')
  return named.map(({ key, record }) => {
    const id = String(key)
    const written = writtenOf.get(id) // by a face, and not yet taken up by the engine
    const muted = mutedOf(record, nowMs)
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
      ...(record.profile !== undefined && record.profile.avatar.length > 0 ? { avatar: record.profile.avatar } : {}),
      ...(record.pausedBy === 'forked' ? { forked: true } : {}),
      ...(muted && { muted }),
      ...(record.archived?.is && written === undefined ? { archived: true } : {}),
      ...(blocked.has(id) ? { blocked: true } : {}),
      ...requestOf(record),
      ...(own !== undefined && asking.has(id) && mayLetIn(record, own.account) ? { asking: asking.get(id) ?? 0 } : {}),
      ...spaceOfView(id, record, homes),
      ...leftOf(record),
    }
  })
}

function leftOf({ left, pausedBy, shut }: ChannelRecord): Pick<ChannelView, 'left'> {
  if (left !== undefined) return { left }
  return pausedBy === 'removed' || shut ? { left: 'removed' } : {}
}
