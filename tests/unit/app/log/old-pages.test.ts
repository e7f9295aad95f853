import { expect, it } from 'vitest'
import { Draft } from '#app/draft.ts'
import { applyLines, type LineDelta } from '#app/log/apply-lines.ts'
import type { Applying } from '#app/log/settle-book.ts'
import type { ChannelRecord } from '#app/ports/records.ts'
import type { AccountId, Address, MessageId } from '#core/wire/ids.ts'
import { MemoryRows } from '../../../support/memory-rows.ts'
import { PlainStore } from '../../../support/sim/plain-store.ts'

const OWN = new Uint8Array(32).fill(1) as AccountId
const LINES = 40
const SHELVES = 32

const line = (n: number): LineDelta => ({
  kind: 'line',
  at: n,
  channel: new Uint8Array(32) as Address,
  order: n,
  messageId: new Uint8Array(16).fill(n) as MessageId,
  author: new Uint8Array(32).fill(2) as AccountId,
  atMs: 1,
  text: `line ${n}`,
})

/** How often ids are looked through for a message that may stand elsewhere. */
async function looks(
  isOldPage: boolean,
  had: Pick<ChannelRecord, 'repaired' | 'hasShared'> = {},
  many = LINES,
): Promise<number> {
  const rows = new MemoryRows()
  const store = new PlainStore(rows)
  await store.takeOver()
  const channel = { kind: 'group', theirs: 0, lastText: '', ...had } as ChannelRecord
  await store.write([{ put: 'channels', key: 'c', record: channel }])
  let count = 0
  const range = rows.range.bind(rows)
  rows.range = (table, ...args) => {
    if (table === 'blockIds') count++
    return range(table, ...args)
  }
  const draft = new Draft(store)
  const deps = { store, clock: { now: () => 0 } }
  const applying = { deps, draft, own: { account: { account: OWN } }, isOldPage } as unknown as Applying
  const lines = Array.from({ length: many }, (_, i) => line(i + 1))
  expect(await applyLines(applying, 'c', lines)).toBe(many)
  return count
}

it('[K-03] [FRK5] few lines are looked for by their ids while people talk, and in old pages only where a repair moved some', async () => {
  expect(await looks(false)).toBe(LINES)
  expect(await looks(true)).toBe(0)
  expect(await looks(true, { repaired: true })).toBe(LINES)
})

it('[K-03] [SHR8] what was shared gives way to an old page by one look through all ids, and not by one for each line', async () => {
  expect(await looks(true, { hasShared: true }, 200)).toBe(SHELVES)
})
