import type { ChannelRecord, ReadRecord } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'

/** Lines of others that came after the last one that was read: two counters, so no line is looked at. */
export function unreadOf(channel: ChannelRecord, read: ReadRecord | undefined): number {
  return Math.max(0, channel.theirs - (read?.theirs ?? 0))
}

export async function unreadTotal(store: Pick<Store, 'list'>): Promise<number> {
  const [channels, reads] = await Promise.all([store.list('channels'), store.list('reads')])
  const readOf = new Map(reads.map((row) => [row.key, row.record]))
  return channels.reduce((sum, { key, record }) => sum + unreadOf(record, readOf.get(key)), 0)
}
