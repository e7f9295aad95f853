import { type HistoryLine, numberIn } from '../log/blocks.ts'
import type { Store } from '../ports/store.ts'

const ROWS = 200
const BLOCKS = 8

/** A whole conversation, oldest line first, read a few rows at a time, whichever way they are kept. */
export async function* linesInOrder(store: Pick<Store, 'list'>, channelId: string): AsyncGenerator<HistoryLine> {
  const rows = ahead(rowsOf(store, channelId))
  const old = ahead(blocksOf(store, channelId))
  for (;;) {
    const [row, line] = [await rows.peek(), await old.peek()]
    if (row === undefined && line === undefined) return
    const isRow = line === undefined || (row !== undefined && row.order <= line.order)
    const next = isRow ? row : line
    if (isRow) rows.drop()
    else old.drop()
    if (next !== undefined) yield next
  }
}

async function* rowsOf(store: Pick<Store, 'list'>, of: string): AsyncGenerator<HistoryLine> {
  for (let after = -1; ; ) {
    const rows = await store.list('lines', { of, after, limit: ROWS })
    for (const { key, record } of rows) yield { order: numberIn(key), line: record }
    const last = rows.at(-1)
    if (last === undefined || rows.length < ROWS) return
    after = numberIn(last.key)
  }
}

async function* blocksOf(store: Pick<Store, 'list'>, of: string): AsyncGenerator<HistoryLine> {
  for (let after = -1; ; ) {
    const blocks = await store.list('blocks', { of, after, limit: BLOCKS })
    for (const { record } of blocks) yield* record.lines
    const last = blocks.at(-1)
    if (last === undefined || blocks.length < BLOCKS) return
    after = numberIn(last.key)
  }
}

/** Looks one ahead. */
function ahead(lines: AsyncGenerator<HistoryLine>) {
  let next: Promise<HistoryLine | undefined> | undefined
  return {
    peek(): Promise<HistoryLine | undefined> {
      next ??= lines.next().then(({ value, done }) => (done ? undefined : value))
      return next
    },
    drop(): void {
      next = undefined
    },
  }
}
