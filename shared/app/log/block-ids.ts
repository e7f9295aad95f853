import { toBase64url } from '#core/bytes/base64url.ts'
import { concatBytes } from '#core/bytes/concat.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import type { MessageId } from '#core/wire/ids.ts'
import type { Draft } from '../draft.ts'
import type { BlockIdsRecord } from '../ports/records.ts'
import type { RowKey, Store } from '../ports/store.ts'
import { blockAt, type HistoryLine } from './blocks.ts'
import { groupBy } from './group-by.ts'

const PREFIX_BYTES = 8
const SHELVES = 32
const IDS_IN_A_ROW = 512
/** A shelf with more rows than this is put in order when there is time. */
const MAX_ROWS = 32

/**
 * Where the messages of history stand, by their ids, on so many shelves that a look at one is short. A row is never changed, so
 * that channels need not wait for each other.
 */
export function putBlockIds(draft: Draft, lines: readonly HistoryLine[]): void {
  for (const [shelf, onIt] of groupBy(lines, ({ line }) => shelfOf(line.messageId))) {
    for (let at = 0; at < onIt.length; at += IDS_IN_A_ROW) {
      const some = onIt.slice(at, at + IDS_IN_A_ROW)
      const ids = concatBytes(...some.map(({ line }) => line.messageId.subarray(0, PREFIX_BYTES)))
      draft.put('blockIds', rowKey(shelf, ids), { ids, orders: some.map(({ order }) => order) })
    }
  }
}

/** Half an id says where to look; the line itself says whether it is that message, in that channel. */
export async function findInBlocks(
  source: Pick<Draft, 'list'> | Pick<Store, 'list'>,
  channelId: string,
  messageId: MessageId,
): Promise<HistoryLine | undefined> {
  const prefix = messageId.subarray(0, PREFIX_BYTES)
  for (const { record } of await source.list('blockIds', { of: shelfOf(messageId) })) {
    for (const [i, order] of record.orders.entries()) {
      if (!equalBytes(record.ids.subarray(i * PREFIX_BYTES, (i + 1) * PREFIX_BYTES), prefix)) continue
      const block = await blockAt(source, channelId, order)
      const found = block?.record.lines.find((line) => equalBytes(line.line.messageId, messageId))
      if (found !== undefined) return found
    }
  }
  return undefined
}

/** Of many messages at once those that history has, or seems to: by half of each id, which two messages share by chance never. */
export async function knownInBlocks(
  source: Pick<Draft, 'list'>,
  messageIds: readonly MessageId[],
): Promise<ReadonlySet<string>> {
  const known = new Set<string>()
  for (const [shelf, onIt] of groupBy(messageIds, shelfOf)) {
    const prefixes = new Set<string>()
    for (const { record } of await source.list('blockIds', { of: shelf })) {
      for (let at = 0; at < record.ids.length; at += PREFIX_BYTES) {
        prefixes.add(toBase64url(record.ids.subarray(at, at + PREFIX_BYTES)))
      }
    }
    for (const id of onIt) if (prefixes.has(toBase64url(id.subarray(0, PREFIX_BYTES)))) known.add(toBase64url(id))
  }
  return known
}

/** Few rows in place of many. What is put meanwhile has a row of its own, and stays. */
export async function tidyBlockIds(store: Pick<Store, 'list' | 'write'>): Promise<void> {
  for (let shelf = 0; shelf < SHELVES; shelf++) {
    const rows = await store.list('blockIds', { of: String(shelf) })
    if (rows.length <= MAX_ROWS) continue
    const whole = joined(rows.map(({ record }) => record))
    const kept = new Set(whole.map(({ ids }) => JSON.stringify(rowKey(String(shelf), ids))))
    const gone = rows.filter(({ key }) => !kept.has(JSON.stringify(key)))
    await store.write([
      ...gone.map(({ key }) => ({ delete: 'blockIds', key }) as const),
      ...whole.map((record) => ({ put: 'blockIds', key: rowKey(String(shelf), record.ids), record }) as const),
    ])
  }
}

function joined(records: readonly BlockIdsRecord[]): BlockIdsRecord[] {
  const ids = concatBytes(...records.map((record) => record.ids))
  const orders = records.flatMap((record) => record.orders)
  const rows = Math.ceil(orders.length / IDS_IN_A_ROW)
  return Array.from({ length: rows }, (_, i) => {
    const [from, to] = [i * IDS_IN_A_ROW, (i + 1) * IDS_IN_A_ROW]
    return { ids: ids.slice(from * PREFIX_BYTES, to * PREFIX_BYTES), orders: orders.slice(from, to) }
  })
}

function shelfOf(messageId: MessageId): string {
  return String((messageId[0] ?? 0) % SHELVES)
}

/** By its first id: no two rows have one of them twice. */
function rowKey(shelf: string, ids: Uint8Array): RowKey {
  const view = new DataView(ids.buffer, ids.byteOffset, ids.length)
  return [shelf, view.getUint32(0) * 2 ** 20 + (view.getUint32(4) >>> 12)]
}
