import { equalBytes } from '#core/bytes/equal.ts'
import type { Draft } from '../draft.ts'
import type { BlockRecord, LineRecord } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'

/** A line of history at its place in its channel. */
export type HistoryLine = { readonly order: number; readonly line: LineRecord }

/** Where a line goes whose place another message has. */
export type Place = (line: HistoryLine) => HistoryLine

export const BLOCK_LINES = 50
const MAX_BLOCK_LINES = 2 * BLOCK_LINES

/** Blocks part a channel's order: each holds what stands from its first line on, up to where the next one begins. */
export async function putBlocks(
  draft: Draft,
  channelId: string,
  lines: readonly HistoryLine[],
  place: Place,
): Promise<HistoryLine[]> {
  const added: HistoryLine[] = []
  for (let at = 0; at < lines.length; ) {
    const block = await blockAt(draft, channelId, lines[at]?.order ?? 0)
    const end = await nextFirst(draft, channelId, lines[at]?.order ?? 0)
    const until = lines.findIndex((line, i) => i > at && line.order >= end)
    const mine = lines.slice(at, until === -1 ? lines.length : until)
    at += mine.length
    added.push(...putInto(draft, channelId, block, mine, place))
  }
  return added
}

/** @returns those that were not there */
function putInto(
  draft: Draft,
  channelId: string,
  block: { readonly first: number; readonly record: BlockRecord } | undefined,
  lines: readonly HistoryLine[],
  place: Place,
): readonly HistoryLine[] {
  const known = new Map(block?.record.lines.map((one) => [one.order, one]))
  const added = lines
    .map((one) => (isOther(known.get(one.order), one) ? place(one) : one))
    .filter(({ order }) => !known.has(order))
  if (added.length === 0) return added
  const joins =
    block !== undefined && (block.record.lines.length < BLOCK_LINES || startsBefore(added, block.record.last))
  const all = joins ? [...block.record.lines, ...added].sort((a, b) => a.order - b.order) : added
  const size = all.length > MAX_BLOCK_LINES || !joins ? BLOCK_LINES : all.length
  for (let i = 0; i < all.length; i += size) putBlock(draft, channelId, all.slice(i, i + size))
  return added
}

function isOther(there: HistoryLine | undefined, one: HistoryLine): boolean {
  return there !== undefined && !equalBytes(there.line.messageId, one.line.messageId)
}

function startsBefore(lines: readonly HistoryLine[], order: number): boolean {
  return (lines[0]?.order ?? order) < order
}

function putBlock(draft: Draft, channelId: string, lines: readonly HistoryLine[]): void {
  const [first, last] = [lines[0], lines.at(-1)]
  if (first === undefined || last === undefined) return
  draft.put('blocks', [channelId, first.order], { lines, last: last.order })
}

/** Its row goes by the first line it has left: under the old key it would stay as it is when the block is next put. */
export async function takeFromBlock(draft: Draft, channelId: string, order: number): Promise<void> {
  const block = await blockAt(draft, channelId, order)
  if (block === undefined) return
  draft.delete('blocks', [channelId, block.first])
  const left = block.record.lines.filter((one) => one.order !== order)
  putBlock(draft, channelId, left)
}

/** Less than lies between two places, beside one another as well (FRK5). Places of notes are times, and too large to add so little to. */
const JUST_PAST = 2 ** -21
const justPast = (order: number): number => order + Math.max(JUST_PAST, order * Number.EPSILON)

/** The block that covers this place, if there is one. */
export async function blockAt(
  source: Pick<Draft, 'list'> | Pick<Store, 'list'>,
  channelId: string,
  order: number,
): Promise<{ readonly first: number; readonly record: BlockRecord } | undefined> {
  const [row] = await source.list('blocks', { of: channelId, before: justPast(order), newestFirst: true, limit: 1 })
  return row && { first: numberIn(row.key), record: row.record }
}

async function nextFirst(draft: Draft, channelId: string, order: number): Promise<number> {
  const [row] = await draft.list('blocks', { of: channelId, after: order, limit: 1 })
  return row === undefined ? Number.POSITIVE_INFINITY : numberIn(row.key)
}

export function numberIn(key: unknown): number {
  return Number((key as readonly [string, number])[1])
}
