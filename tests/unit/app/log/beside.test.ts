import { expect, it } from 'vitest'
import type { Deps } from '#app/deps.ts'
import { linePage } from '#app/face/line-page.ts'
import { applyDeltas } from '#app/log/apply-deltas.ts'
import type { OwnLog } from '#app/log/own-log.ts'
import type { ChannelRecord } from '#app/ports/records.ts'
import type { Dated } from '#core/log/delta.ts'
import type { AccountId, Address, DeviceId, MessageId } from '#core/wire/ids.ts'
import { MemoryRows } from '../../../support/memory-rows.ts'
import { Seeded } from '../../../support/seeded.ts'
import { PlainStore } from '../../../support/sim/plain-store.ts'

const fill = (length: number, n: number) => new Uint8Array(length).fill(n)
const channel = fill(32, 11) as Address

/** A line of the account's log, by another one of its devices. */
function line(n: number, order = 30): Dated {
  const said = { messageId: fill(16, n) as MessageId, author: fill(32, 2) as AccountId, atMs: n, text: `line ${n}` }
  return { by: fill(16, 21) as DeviceId, delta: { kind: 'line', at: n, channel, order, ...said } }
}

async function device() {
  const store = new PlainStore(new MemoryRows())
  await store.takeOver()
  const record = {
    kind: 'group',
    title: 'x',
    address: channel,
    theirs: 0,
    state: 'open',
    repaired: true,
  } as ChannelRecord
  await store.write([{ put: 'channels', key: 'c', record }])
  const deps = { store, clock: { now: () => 0, after: () => () => {} }, dice: new Seeded(1).dice } as unknown as Deps
  const log = { account: { account: fill(32, 1) }, device: { deviceId: fill(16, 29) }, record: { lastStamp: 0 } }
  const hands = { turn: <T>(_: string, task: () => Promise<T>) => task() }
  let position = 0
  const apply = (dated: Dated) =>
    applyDeltas(deps, hands, log as unknown as OwnLog, { position: ++position }, [dated], () => {})
  const shown = async () =>
    (await linePage(store, 'c', { limit: 10 })).lines.map((one) => (one.kind === 'text' ? one.text : one.kind))
  return { store, apply, shown }
}

const other = (n: number) => ({
  ...{ messageId: fill(16, n) as MessageId, author: fill(32, 2) as AccountId, atMs: 1, mine: false, theirs: 0 },
  ...({ kind: 'text', text: `line ${n}`, state: 'delivered' } as const),
})

it('[FRK5] a message that stands beside another one stays one, when that one has gone elsewhere and the log tells again', async () => {
  const { store, apply, shown } = await device()
  await store.write([{ put: 'lines', key: ['c', 30], record: other(5) }])
  await apply(line(6))
  expect(await shown()).toEqual(['line 5', 'line 6'])
  await store.write([{ delete: 'lines', key: ['c', 30] }]) // its author said it again elsewhere
  await apply(line(6))
  expect(await shown()).toEqual(['line 6'])
})

it('[FRK5] and so it does where another one stands beside the next place', async () => {
  const { store, apply, shown } = await device()
  for (const [n, order] of [
    [4, 29],
    [5, 30],
  ] as const) {
    await store.write([{ put: 'lines', key: ['c', order], record: other(n) }])
  }
  await apply(line(6, 30))
  await apply(line(7, 29))
  expect(await shown()).toEqual(['line 4', 'line 7', 'line 5', 'line 6'])
  for (const order of [29, 30]) await store.write([{ delete: 'lines', key: ['c', order] }])
  await apply(line(7, 29))
  expect(await shown()).toEqual(['line 7', 'line 6'])
})
