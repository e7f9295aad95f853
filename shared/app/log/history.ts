import { toBase64url } from '#core/bytes/base64url.ts'
import type { MessageId } from '#core/wire/ids.ts'
import type { Draft } from '../draft.ts'
import { lineIdKey } from '../message/lines.ts'
import type { Row, Store } from '../ports/store.ts'
import { besideOf } from './beside.ts'
import { findInBlocks, putBlockIds } from './block-ids.ts'
import { type HistoryLine, numberIn, type Place, putBlocks } from './blocks.ts'

export type { HistoryLine } from './blocks.ts'

/**
 * Lines that did not come through the channel: of the log, of an archive, told again by others. The same lines again change
 * nothing, nor does a line that this device has as its own row. Where another message stands at its place, a line is passed
 * over (SEAM3), or stands beside it where a repair has put two stories together (FRK5). Runs in the channel's turn.
 * @returns those that were not there, in order
 */
export async function putHistory(
  draft: Draft,
  channelId: string,
  lines: readonly HistoryLine[],
  { besides = false }: { readonly besides?: boolean } = {},
): Promise<readonly HistoryLine[]> {
  const place: Place = besides ? besideOf : (one) => one
  const inOrder = apart(
    lines.toSorted((a, b) => a.order - b.order),
    place,
  )
  const [first, last] = [inOrder[0], inOrder.at(-1)]
  if (first === undefined || last === undefined) return []
  const range = { of: channelId, after: first.order - 1, before: last.order + 1 }
  const orders = new Set(inOrder.map(({ order }) => order))
  const live: Row<'lines'>[] = []
  for (const row of await draft.list('lines', range)) {
    // What could not be read when it came is told now.
    if (row.record.kind === 'unreadable' && orders.has(numberIn(row.key))) draft.delete('lines', row.key)
    else live.push(row)
  }
  const taken = new Set(live.map(({ key }) => numberIn(key)))
  const ids = new Set(live.map(({ record }) => toBase64url(record.messageId)))
  const absent = inOrder
    .filter(({ line }) => !ids.has(toBase64url(line.messageId)))
    .map((one) => (taken.has(one.order) ? place(one) : one))
    .filter(({ order }) => !taken.has(order))
    .sort((a, b) => a.order - b.order)
  const added = await putBlocks(draft, channelId, absent, place)
  putBlockIds(draft, added)
  return added
}

/** Of lines in order, one for each place. */
function apart(lines: readonly HistoryLine[], place: Place): HistoryLine[] {
  const placed = lines.map((one, i) => (one.order === lines[i - 1]?.order ? place(one) : one))
  placed.sort((a, b) => a.order - b.order)
  return placed.filter(({ order }, i) => order !== placed[i - 1]?.order)
}

/** Does this device have the message, as a row of its own or in its history? One message id, one line (U-03). */
export async function hasMessage(draft: Draft, channelId: string, messageId: MessageId): Promise<boolean> {
  if ((await draft.get('lineIds', lineIdKey(channelId, messageId))) !== undefined) return true
  return (await findInBlocks(draft, channelId, messageId)) !== undefined
}

/** The newest lines before `before`, newest first, whichever way they are kept. */
export async function newestLines(
  store: Pick<Store, 'list'>,
  channelId: string,
  { before, limit }: { readonly before?: number | undefined; readonly limit: number },
): Promise<readonly HistoryLine[]> {
  const range = { of: channelId, newestFirst: true, limit, ...(before === undefined ? {} : { before }) }
  const rows = (await store.list('lines', range)).map(({ key, record }) => ({ order: numberIn(key), line: record }))
  const oldest = rows.length < limit ? Number.NEGATIVE_INFINITY : (rows.at(-1)?.order ?? Number.NEGATIVE_INFINITY)
  const found = [...rows]
  let end = before ?? Number.POSITIVE_INFINITY
  for (let held = 0; held < limit; ) {
    const block = await blockBefore(store, channelId, end)
    if (block === undefined || block.record.last < oldest) break
    const lines = block.record.lines.filter(({ order }) => order < end)
    found.push(...lines)
    held += lines.length
    end = numberIn(block.key)
  }
  return found.sort((a, b) => b.order - a.order).slice(0, limit)
}

async function blockBefore(store: Pick<Store, 'list'>, of: string, end: number): Promise<Row<'blocks'> | undefined> {
  const before = Number.isFinite(end) ? { before: end } : {}
  const [row] = await store.list('blocks', { of, newestFirst: true, limit: 1, ...before })
  return row
}
