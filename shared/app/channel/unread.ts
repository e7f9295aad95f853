import { blockedChannels } from '../contact/block.ts'
import { newestLines } from '../log/history.ts'
import { WAITING_FROM } from '../message/lines.ts'
import type { ChannelRecord, ReadRecord } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'
import { isMuted } from './quiet.ts'

/** Lines of others that came after the last one that was read: two counters, so no line is looked at. */
export function unreadOf(channel: ChannelRecord, read: ReadRecord | undefined): number {
  return Math.max(0, channel.theirs - (read?.theirs ?? 0))
}

/**
 * How many lines of others there were up to a place. Where nothing stands behind it, all that were counted: the line that had
 * counted last may be gone since, and what its author sent again is history, which has no count (SEAM3).
 */
export async function theirsUpTo(store: Pick<Store, 'get' | 'list'>, of: string, order: number): Promise<number> {
  const channel = await store.get('channels', of) // first: what comes meanwhile is not in its count, and stands behind
  const [[counted], [last]] = await Promise.all([
    store.list('lines', { of, before: order + 1, newestFirst: true, limit: 1 }),
    newestLines(store, of, { before: WAITING_FROM, limit: 1 }),
  ])
  const isAll = last === undefined || last.order <= order
  return isAll ? (channel?.theirs ?? 0) : (counted?.record.theirs ?? 0)
}

/** Over all channels that a person wants to hear of (M-11). */
export async function unreadTotal(store: Pick<Store, 'list'>, nowMs: number): Promise<number> {
  const [all, reads, blocked] = await Promise.all([store.list('channels'), store.list('reads'), blockedChannels(store)])
  const channels = all.filter(({ key, record }) => !isMuted(record, nowMs) && !blocked.has(String(key)))
  const readOf = new Map(reads.map((row) => [row.key, row.record]))
  return channels.reduce((sum, { key, record }) => sum + unreadOf(record, readOf.get(key)), 0)
}
