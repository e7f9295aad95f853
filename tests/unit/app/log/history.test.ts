import { beforeEach, describe, expect, it } from 'vitest'
import { Draft } from '#app/draft.ts'
import { linePage } from '#app/face/line-page.ts'
import { tidyBlockIds } from '#app/log/block-ids.ts'
import { type HistoryLine, hasMessage, putHistory } from '#app/log/history.ts'
import { lineIdKey } from '#app/message/lines.ts'
import type { LineRecord } from '#app/ports/records.ts'
import type { AccountId, MessageId } from '#core/wire/ids.ts'
import { MemoryRows } from '../../../support/memory-rows.ts'
import { Seeded } from '../../../support/seeded.ts'
import { PlainStore } from '../../../support/sim/plain-store.ts'

const author = new Uint8Array(32).fill(2) as AccountId
const idOf = (n: number) => new Seeded(n).dice(16) as MessageId
const lineOf = (n: number): LineRecord => {
  const common = { messageId: idOf(n), author, atMs: n, mine: false, theirs: 0 }
  return { ...common, kind: 'text', text: `line ${n}`, state: 'delivered' }
}
const from = (first: number, last: number): HistoryLine[] =>
  Array.from({ length: last - first + 1 }, (_, i) => ({ order: first + i, line: lineOf(first + i) }))

let rows: MemoryRows
let store: PlainStore
beforeEach(async () => {
  rows = new MemoryRows()
  store = new PlainStore(rows)
  await store.takeOver()
})

async function put(...batches: HistoryLine[][]): Promise<number> {
  const draft = new Draft(store)
  let added = 0
  for (const lines of batches) added += (await putHistory(draft, 'c', lines)).length
  await draft.commit()
  return added
}

async function all(limit = 10_000): Promise<number[]> {
  return (await linePage(store, 'c', { limit })).lines.map(({ order }) => order)
}

const orders = (first: number, last: number) => from(first, last).map(({ order }) => order)

describe('history in blocks', () => {
  it('[K-03] comes newest first, in pages of any size, and is read in order with the rows that are live', async () => {
    await store.write(from(901, 905).map(({ order, line }) => ({ put: 'lines', key: ['c', order], record: line })))
    await put(from(601, 900))
    await put(from(583, 600))
    await put(from(1, 582))
    expect(await all()).toEqual(orders(1, 905))
    expect((await store.list('blocks')).length).toBeLessThan(30)
    let before: number | undefined
    const seen: number[] = []
    for (let more = true; more; ) {
      const page = await linePage(store, 'c', { limit: 47, ...(before === undefined ? {} : { before }) })
      seen.unshift(...page.lines.map(({ order }) => order))
      before = page.lines[0]?.order
      more = page.hasOlder
    }
    expect(seen).toEqual(orders(1, 905))
  })

  it('[L-03] the same lines again change nothing, in the same batch or later, nor do lines that are live', async () => {
    await store.write(from(40, 44).map(({ order, line }) => ({ put: 'lines', key: ['c', order], record: line })))
    expect(await put(from(1, 100), from(50, 120))).toBe(115)
    const before = await store.list('blocks')
    expect(await put(from(1, 120))).toBe(0)
    expect(await store.list('blocks')).toEqual(before)
    expect(await all()).toEqual(orders(1, 120))
  })

  it('[L-01] lines that come in any order end in the same history', async () => {
    const random = new Seeded(3)
    const left = from(1, 700)
    while (left.length > 0) {
      const batch = Array.from({ length: 1 + random.below(40) }, () => left.splice(random.below(left.length), 1)).flat()
      await put(batch)
    }
    expect(await all()).toEqual(orders(1, 700))
    for (const { record } of await store.list('blocks')) expect(record.lines.length).toBeLessThanOrEqual(100)
  })

  it('[U-03] a message is found by its id in a row or in a block, and one that only begins alike is not', async () => {
    await put(from(1, 3_000))
    await store.write([{ put: 'lineIds', key: lineIdKey('c', idOf(9_999)), record: { order: 9_999 } }])
    const draft = new Draft(store)
    for (const n of [1, 1_234, 3_000, 9_999]) expect(await hasMessage(draft, 'c', idOf(n)), String(n)).toBe(true)
    const alike = idOf(1_234)
    alike.fill(0, 8)
    expect(await hasMessage(draft, 'c', alike)).toBe(false)
    expect(await hasMessage(draft, 'd', idOf(1_234))).toBe(false)
    expect((await store.list('blockIds')).length).toBe(32)
    for (let n = 3_001; n < 8_000; n++) await put(from(n, n))
    expect((await store.list('blockIds')).length).toBeGreaterThan(4_000)
    await tidyBlockIds(store)
    expect((await store.list('blockIds')).length).toBe(32)
    for (const n of [1, 3_001, 7_999]) expect(await hasMessage(draft, 'c', idOf(n)), String(n)).toBe(true)
  })
})
