import { equalBytes } from '#core/bytes/equal.ts'
import type { Delta } from '#core/log/delta.ts'
import { nextStamp } from '#core/log/stamp.ts'
import type { Deps } from '../deps.ts'
import { WAITING_FROM } from '../message/lines.ts'
import type { DeltaRecord, LineRecord } from '../ports/records.ts'
import type { RowKey } from '../ports/store.ts'
import { blockAt } from './blocks.ts'
import { type Book, currentBooks } from './current-books.ts'
import { bookHash } from './note-books.ts'
import { WAITING } from './note-line.ts'
import type { OwnLog } from './own-log.ts'

/** A delta on its way out, and whence it is. */
export type ToPush = {
  readonly delta: Delta
  readonly line?: { readonly channelId: string; readonly order: number }
  readonly book?: { readonly key: RowKey; readonly stamp: number }
}
export type Waiting = {
  readonly items: readonly ToPush[]
  readonly gone: readonly RowKey[] // rows about lines that are not there any more
  readonly lastStamp: number
  readonly more: boolean
}

const MAX_LINES = 1024

/** What is to be appended: bookkeeping first, so that who reads it knows the channels of the lines. */
export async function waitingDeltas(deps: Deps, own: OwnLog): Promise<Waiting> {
  const books = await waitingBooks(deps, own)
  const rows = await deps.store.list('deltas', { of: WAITING, limit: MAX_LINES })
  const items: ToPush[] = []
  const gone: RowKey[] = []
  let { lastStamp } = own.record
  const channels = new Map<string, Place | undefined>()
  for (const { key, record } of rows) {
    for (const line of record.lines) {
      if (!channels.has(line.channelId)) channels.set(line.channelId, await placeOf(deps, line.channelId))
      const place = channels.get(line.channelId)
      const stored = await lineAt(deps, line)
      if (place === undefined || stored?.kind !== 'text' || line.order >= place.end) gone.push(key)
      else if (line.order <= place.cursor) {
        lastStamp = nextStamp(lastStamp, deps.clock.now())
        items.push({ line, delta: lineDelta(place, line.order, stored, lastStamp) })
      }
    }
  }
  return { items: [...books, ...items], gone, lastStamp, more: rows.length === MAX_LINES && items.length > 0 }
}

type Place = {
  readonly address: Extract<Delta, { kind: 'line' }>['channel']
  readonly cursor: number
  readonly end: number
}

/**
 * Lines past the cursor wait: what lies before them may not be here yet, and who reads the log takes its last line of a
 * channel for the place up to which it has all.
 */
async function placeOf({ store }: Deps, channelId: string): Promise<Place | undefined> {
  const [channel, sync] = await Promise.all([store.get('channels', channelId), store.get('syncs', channelId)])
  const address = channel?.address ?? sync?.address
  if (channel === undefined || address === undefined) return undefined
  if (channel.kind === 'notes') return { address, cursor: Number.POSITIVE_INFINITY, end: Number.POSITIVE_INFINITY }
  return { address, cursor: sync?.cursor ?? Number.POSITIVE_INFINITY, end: WAITING_FROM }
}

/** As a row of its own, or in a block, where what was told otherwise than through the channel lies. */
async function lineAt(
  { store }: Deps,
  { channelId, order }: DeltaRecord['lines'][number],
): Promise<LineRecord | undefined> {
  const row = await store.get('lines', [channelId, order])
  if (row !== undefined) return row
  return (await blockAt(store, channelId, order))?.record.lines.find((one) => one.order === order)?.line
}

function lineDelta({ address }: Place, order: number, line: LineRecord & { kind: 'text' }, at: number): Delta {
  const { messageId, author, atMs, text, mine, state, sharedBy, vanishesAtMs } = line
  const place = Math.floor(order) // between two places stands what a repair put there (FRK5)
  const vanishing = vanishesAtMs === undefined ? {} : { vanishesAtMs }
  const common = {
    kind: 'line',
    at,
    channel: address,
    order: place,
    messageId,
    author,
    atMs,
    text,
    ...vanishing,
  } as const
  if (mine) return { ...common, state: state === 'delivered' ? 'delivered' : 'sent' }
  return sharedBy === undefined ? common : { ...common, sharedBy }
}

async function waitingBooks(deps: Deps, own: OwnLog): Promise<ToPush[]> {
  const waiting = (await deps.store.list('logged')).filter(({ record }) => record.position === undefined)
  if (waiting.length === 0) return []
  const books = await currentBooks(deps.store, own, deps.clock.now())
  const bookOf = new Map(books.map((book) => [JSON.stringify(book.key), book]))
  return waiting.flatMap(({ key, record }): ToPush[] => {
    const book: Book | undefined =
      bookOf.get(JSON.stringify(key)) ?? (record.device && { key, delta: { kind: 'device', at: 0, ...record.device } })
    // Changed since it was noted: the next round tells that.
    if (book === undefined || !equalBytes(bookHash(book.delta), record.hash)) return []
    return [{ delta: { ...book.delta, at: record.stamp }, book: { key, stamp: record.stamp } }]
  })
}
