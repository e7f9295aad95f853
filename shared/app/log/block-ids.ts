import { concatBytes } from '#core/bytes/concat.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import type { MessageId } from '#core/wire/ids.ts'
import type { Draft } from '../draft.ts'
import type { BlockIdsRecord } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'
import { blockAt, type HistoryLine, numberIn } from './blocks.ts'
import { groupBy } from './group-by.ts'

const PREFIX_BYTES = 8
const IDS_IN_A_ROW = 256

/** Where the messages of history stand, by their ids: sixteen shelves to a channel, so that a look at one is short. */
export async function putBlockIds(draft: Draft, channelId: string, lines: readonly HistoryLine[]): Promise<void> {
  for (const [shelf, onIt] of groupBy(lines, ({ line }) => shelfOf(channelId, line.messageId))) {
    const [newest] = await draft.list('blockIds', { of: shelf, newestFirst: true, limit: 1 })
    let n = newest === undefined ? 0 : numberIn(newest.key)
    let row: BlockIdsRecord = newest?.record ?? { ids: new Uint8Array(), orders: [] }
    for (let at = 0; at < onIt.length; n++) {
      const room = onIt.slice(at, at + IDS_IN_A_ROW - row.orders.length)
      at += room.length
      const ids = concatBytes(row.ids, ...room.map(({ line }) => line.messageId.subarray(0, PREFIX_BYTES)))
      draft.put('blockIds', [shelf, n], { ids, orders: [...row.orders, ...room.map(({ order }) => order)] })
      row = { ids: new Uint8Array(), orders: [] }
    }
  }
}

/** Half an id says where to look; the line itself says whether it is that message. */
export async function findInBlocks(
  source: Pick<Draft, 'list'> | Pick<Store, 'list'>,
  channelId: string,
  messageId: MessageId,
): Promise<HistoryLine | undefined> {
  const prefix = messageId.subarray(0, PREFIX_BYTES)
  for (const { record } of await source.list('blockIds', { of: shelfOf(channelId, messageId), newestFirst: true })) {
    for (const [i, order] of record.orders.entries()) {
      if (!equalBytes(record.ids.subarray(i * PREFIX_BYTES, (i + 1) * PREFIX_BYTES), prefix)) continue
      const block = await blockAt(source, channelId, order)
      const found = block?.record.lines.find((line) => equalBytes(line.line.messageId, messageId))
      if (found !== undefined) return found
    }
  }
  return undefined
}

function shelfOf(channelId: string, messageId: MessageId): string {
  return `${channelId} ${(messageId[0] ?? 0) >> 4}`
}
