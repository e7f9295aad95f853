import { blockedChannels } from '../contact/block.ts'
import type { ChannelRecord, ReadRecord } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'
import { isMuted } from './quiet.ts'

/** Lines of others that came after the last one that was read: two counters, so no line is looked at. */
export function unreadOf(channel: ChannelRecord, read: ReadRecord | undefined): number {
  return Math.max(0, channel.theirs - (read?.theirs ?? 0))
}

/** Over all channels that a person wants to hear of (M-11). */
export async function unreadTotal(store: Pick<Store, 'list'>, nowMs: number): Promise<number> {
  const [all, reads, blocked] = await Promise.all([store.list('channels'), store.list('reads'), blockedChannels(store)])
  const channels = all.filter(({ key, record }) => !isMuted(record, nowMs) && !blocked.has(String(key)))
  const readOf = new Map(reads.map((row) => [row.key, row.record]))
  return channels.reduce((sum, { key, record }) => sum + unreadOf(record, readOf.get(key)), 0)
}
