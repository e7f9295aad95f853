import { BODY_VERSION, encodeBody } from '#core/message/body.ts'
import { POST_ID_BYTES, type PostId } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import { numberIn } from '../log/blocks.ts'
import type { ChannelRecord, LineRecord } from '../ports/records.ts'
import type { Row } from '../ports/store.ts'
import { addLine, lineIdKey, WAITING_FROM } from './lines.ts'

/** The notice stands before the place at which this device came in, and before it what has no other place. */
const NOTICE_BEFORE = 2 ** -10

type Aside = { readonly id: string; readonly channel: ChannelRecord; readonly after: number; readonly position: number }

/**
 * A channel was repaired (FRK4, FRK5): nothing that this device has is taken away. What the own account said after the last
 * place that others are known to have seen goes out once more, under its own message id and as a new post; whoever has it
 * passes it over. What others said there is marked until its author says it again.
 */
export async function setAside(deps: Deps, draft: Draft, aside: Aside): Promise<ChannelRecord> {
  const { id, channel, after, position } = aside
  for (const { key, record } of await draft.list('outbox', { of: id })) {
    const { sealed: _, ...unsealed } = record // the relay may know the old id from another story
    draft.put('outbox', key, { ...unsealed, postId: deps.dice(POST_ID_BYTES) as PostId })
  }
  const rows = await draft.list('lines', { of: id, after, before: WAITING_FROM })
  const again = rows.filter(({ record }) => isForAgain(record, channel))
  await sayAgain(deps, draft, id, again)
  const others = rows.filter((row) => !again.includes(row))
  const homeless = others.filter(({ key }) => numberIn(key) >= position)
  const from = Math.max(position - 1, ...rows.map(({ key }) => numberIn(key)).filter((order) => order < position))
  const step = (position - NOTICE_BEFORE - from) / (homeless.length + 1)
  for (const row of others) {
    const at = homeless.indexOf(row)
    moveLine(draft, id, row, at === -1 ? numberIn(row.key) : from + step * (at + 1))
  }
  if (rows.length === 0) return channel
  const messageId = deps.dice(POST_ID_BYTES)
  const notice = { kind: 'notice', notice: 'repaired', name: '', messageId, atMs: deps.clock.now() } as const
  return addLine(draft, { id, channel }, position - NOTICE_BEFORE, notice)
}

/** In a conversation of two, what was delivered is there already. */
function isForAgain(line: LineRecord, { kind }: ChannelRecord): boolean {
  return line.kind === 'text' && line.mine && !(kind === 'direct' && line.state === 'delivered')
}

/** Before everything that waits: places between numbers, in the outbox and among the lines that wait. */
async function sayAgain(deps: Deps, draft: Draft, id: string, rows: readonly Row<'lines'>[]): Promise<void> {
  const waiting = await draft.list('outbox', { of: id, after: 0, before: 1, newestFirst: true, limit: 1 })
  const from = waiting.reduce((last, { key }) => Math.max(last, numberIn(key)), 0)
  const step = (1 - from) / (rows.length + 1)
  for (const [i, { key, record }] of rows.entries()) {
    if (record.kind !== 'text') continue
    const { messageId, atMs, text } = record
    const slot = from + step * (i + 1)
    const order = WAITING_FROM + slot
    const postId = deps.dice(POST_ID_BYTES) as PostId
    draft.delete('lines', key)
    draft.put('lines', [id, order], { ...record, state: 'waiting', postId })
    draft.put('lineIds', lineIdKey(id, messageId), { order })
    const body = encodeBody({ v: BODY_VERSION, id: messageId, atMs, kind: 'text', text })
    draft.put('outbox', [id, slot], { postId, body, line: { order, messageId }, attempts: 0 })
  }
}

function moveLine(draft: Draft, id: string, { key, record }: Row<'lines'>, order: number): void {
  const line = record.kind === 'text' && !record.mine ? { ...record, aside: true as const } : record
  if (order !== numberIn(key)) draft.delete('lines', key)
  draft.put('lines', [id, order], line)
  if (record.kind === 'text') draft.put('lineIds', lineIdKey(id, record.messageId), { order })
}
