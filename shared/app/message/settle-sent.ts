import { equalBytes } from '#core/bytes/equal.ts'
import type { OwnRow } from '../channel/apply-ordered.ts'
import type { Loaded } from '../channel/loaded.ts'
import type { Draft } from '../draft.ts'
import { noteLine } from '../log/note-line.ts'
import type { ChannelRecord } from '../ports/records.ts'
import { noteShared } from '../share/note-offered.ts'
import { lineIdKey } from './lines.ts'
import { noteVanishing } from './vanish.ts'

/**
 * A body has its position: it is durably at the relay (M-10 'sent'), its line moves to its place, and nothing of it is
 * left to send. The same whether the relay's answer said so or the envelope came back in a fetch.
 */
export async function settleSent(
  draft: Draft,
  { id, channel, group }: Loaded,
  row: OwnRow,
  position: number,
  nowMs: number,
): Promise<ChannelRecord> {
  draft.delete('outbox', row.key)
  const { line: at, shared } = row.record
  if (shared !== undefined) await noteShared(draft, { id, channel, group }, shared, position)
  if (at === undefined) return channel
  const line = await draft.get('lines', [id, at.order])
  if (line?.kind !== 'text') return channel
  // A relay that names a place where something else stands must not take that away: the line stays where it waited.
  const isTaken = (await draft.get('lines', [id, position])) !== undefined
  const order = isTaken ? at.order : position
  draft.delete('lines', [id, at.order])
  const { timerMs = 0 } = row.record
  const vanishing = timerMs > 0 ? { vanishesAtMs: nowMs + timerMs } : {}
  draft.put('lines', [id, order], { ...line, state: 'sent', ...vanishing })
  if (timerMs > 0) await noteVanishing(draft, id, at.messageId, nowMs + timerMs)
  draft.put('lineIds', lineIdKey(id, at.messageId), { order })
  if (!isTaken) noteLine(draft, id, order)
  const isLast = channel.lastMessageId !== undefined && equalBytes(channel.lastMessageId, at.messageId)
  return isLast ? { ...channel, lastState: 'sent' } : channel
}
