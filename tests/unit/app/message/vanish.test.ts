import { beforeEach, expect, it } from 'vitest'
import { Draft } from '#app/draft.ts'
import { putHistory } from '#app/log/history.ts'
import { lineIdKey } from '#app/message/lines.ts'
import { hasVanished, noteVanishing, vanishLines } from '#app/message/vanish.ts'
import type { ChannelRecord, LineRecord } from '#app/ports/records.ts'
import type { AccountId, MessageId } from '#core/wire/ids.ts'
import { MemoryRows } from '../../../support/memory-rows.ts'
import { Seeded } from '../../../support/seeded.ts'
import { PlainStore } from '../../../support/sim/plain-store.ts'

const NOW = 10_000
const DAY_MS = 86_400_000
const ROWS = 1_500
const IN_BLOCKS = 500
const SHELVES = 32
const idOf = (n: number) => new Seeded(n).dice(16) as MessageId
const lineOf = (n: number): LineRecord => ({
  messageId: idOf(n),
  author: new Uint8Array(32).fill(2) as AccountId,
  atMs: n,
  mine: false,
  theirs: 0,
  kind: 'text',
  text: `line ${n}`,
  state: 'delivered',
})

let rows: MemoryRows
let store: PlainStore
beforeEach(async () => {
  rows = new MemoryRows()
  store = new PlainStore(rows)
  await store.takeOver()
  await store.write([
    { put: 'channels', key: 'c', record: { kind: 'group', theirs: 0, lastText: '' } as ChannelRecord },
  ])
  const draft = new Draft(store)
  for (let n = 1; n <= ROWS; n++) {
    draft.put('lines', ['c', n], lineOf(n))
    draft.put('lineIds', lineIdKey('c', idOf(n)), { order: n })
  }
  const said = Array.from({ length: IN_BLOCKS }, (_, i) => ({ order: ROWS + i + 1, line: lineOf(ROWS + i + 1) }))
  await putHistory(draft, 'c', said)
  // Much came at once, and is over at once.
  for (let n = 1; n <= ROWS + IN_BLOCKS; n++) await noteVanishing(draft, 'c', idOf(n), n < 1_000 ? NOW : NOW + (n % 97))
  await draft.commit()
})

const clock = { now: () => NOW + 100, after: () => () => {} }

it('[VAN3] what is over all at once is taken away part by part, and few looks go through the ids of history', async () => {
  let [looks, passes, largest] = [0, 0, 0]
  const range = rows.range.bind(rows)
  rows.range = (table, ...args) => {
    if (table === 'blockIds') looks++
    return range(table, ...args)
  }
  rows.onWrite = (changes) => {
    largest = Math.max(largest, changes.length)
  }
  for (let nextMs: number | undefined = NOW; nextMs !== undefined && nextMs <= clock.now(); passes++) {
    nextMs = (await vanishLines({ store, clock }, 'c')).nextMs
  }
  expect(largest).toBeLessThan(1_100)
  expect(passes).toBeGreaterThan(4)
  expect(looks).toBeLessThanOrEqual(passes * SHELVES + IN_BLOCKS)
  expect([...(await store.list('lines')), ...(await store.list('blocks'))]).toEqual([])
  expect(await hasVanished(new Draft(store), 'c', idOf(1))).toBe(true)
  const later = { now: () => NOW + 61 * DAY_MS, after: () => () => {} }
  const draft = new Draft(store)
  await noteVanishing(draft, 'c', idOf(5_000), NOW + DAY_MS)
  await draft.commit()
  await vanishLines({ store, clock: later }, 'c')
  const kept = await store.list('vanishing')
  expect(kept, '[VAN4] and what was taken away in each part is forgotten in time').toHaveLength(2)
})
