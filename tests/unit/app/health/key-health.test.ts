import { beforeEach, describe, expect, it } from 'vitest'
import { Draft } from '#app/draft.ts'
import { keyHealth } from '#app/health/key-health.ts'
import { addLine, WAITING_FROM } from '#app/message/lines.ts'
import type { ChannelRecord, LineRecord, SyncRecord } from '#app/ports/records.ts'
import type { AccountId, MessageId } from '#core/wire/ids.ts'
import { MemoryRows } from '../../../support/memory-rows.ts'
import { PlainStore } from '../../../support/sim/plain-store.ts'

const account = new Uint8Array(32).fill(1) as AccountId
const id = (n: number) => new Uint8Array(16).fill(n) as MessageId
const channel: ChannelRecord = {
  title: 'Bea',
  kind: 'direct',
  state: 'open',
  lastText: '',
  lastAtMs: 5,
  lastState: 'none',
  theirs: 0,
}
const sync = { healedAtMs: 50, nextHealMs: 500, seams: [] } as unknown as SyncRecord

let store: PlainStore
beforeEach(async () => {
  store = new PlainStore(new MemoryRows())
  await store.takeOver()
  await store.write([
    { put: 'channels', key: 'notes', record: { ...channel, kind: 'notes' } },
    { put: 'channels', key: 'c', record: channel },
    { put: 'syncs', key: 'c', record: sync },
  ])
})

async function misses(orders: readonly number[], cause = 'mls/epoch-gone'): Promise<void> {
  const draft = new Draft(store)
  let record = (await store.get('channels', 'c')) ?? channel
  for (const order of orders) {
    const line = { kind: 'unreadable', messageId: id(order), atMs: 100 + order, cause } as const
    record = await addLine(draft, { id: 'c', channel: record }, order, line)
  }
  draft.put('channels', 'c', record)
  await draft.commit()
}

const failed = (failure: string): LineRecord => ({
  messageId: id(1),
  author: account,
  atMs: 70,
  mine: true,
  theirs: 0,
  kind: 'text',
  text: 'not sent',
  state: 'failed',
  failure,
})

describe('[M-09] the health of keys', () => {
  it('says when keys were renewed and will be, of each channel but the notes', async () => {
    expect(await keyHealth(store)).toEqual([
      { id: 'c', title: 'Bea', kind: 'direct', state: 'open', problems: [], healedAtMs: 50, nextHealMs: 500 },
    ])
  })

  it('counts by its cause what did not open and was not said again', async () => {
    await misses([3, 4, 5])
    await misses([6], 'schema/text')
    await store.write([{ delete: 'lines', key: ['c', 4] }]) // told again
    const [health] = await keyHealth(store)
    expect(health).toMatchObject({
      act: 'heal',
      problems: [
        { what: 'unreadable', count: 2, cause: 'mls/epoch-gone', sinceMs: 103 },
        { what: 'unreadable', count: 1, cause: 'schema/text', sinceMs: 106 },
      ],
    })
  })

  it('a stretch that others were asked for is a gap, and once', async () => {
    await misses([3])
    const seam = { ask: id(1), after: 2, upTo: 4, at: 3, waiting: [account] }
    await store.write([{ put: 'syncs', key: 'c', record: { ...sync, seams: [seam] } }])
    const [health] = await keyHealth(store)
    expect(health?.problems).toEqual([{ what: 'gap', count: 1, cause: 'channel/gap', sinceMs: 103 }])
    expect(health).not.toHaveProperty('act')
  })

  it.each([
    [{ state: 'paused', pausedBy: 'forked', pausedAtMs: 9 }, 'forked', 'channel/forked', 'repair'],
    [{ state: 'paused', pausedBy: 'removed' }, 'refused', 'seat/removed', undefined],
    [{ state: 'paused', pausedBy: 'broken' }, 'refused', 'channel/broken', undefined],
    [{ state: 'returning' }, 'returning', 'channel/returning', undefined],
  ] as const)('%o: %s', async (changes, what, cause, act) => {
    await store.write([{ put: 'channels', key: 'c', record: { ...channel, ...changes } }])
    const [health] = await keyHealth(store)
    expect(health?.problems).toEqual([{ what, count: 1, cause, sinceMs: 'pausedAtMs' in changes ? 9 : 5 }])
    expect(health?.act).toBe(act)
  })

  it('what the relay did not take says why; who needs a person comes first', async () => {
    await store.write([
      { put: 'lines', key: ['c', WAITING_FROM + 1], record: failed('envelope/size') },
      { put: 'lines', key: ['c', WAITING_FROM + 2], record: { ...failed('x'), state: 'waiting' } as LineRecord },
      { put: 'channels', key: 'z', record: { ...channel, title: 'Zed', state: 'paused', pausedBy: 'forked' } },
      { put: 'channels', key: 'a', record: { ...channel, title: 'Ann' } },
    ])
    const all = await keyHealth(store)
    expect(all.map(({ title }) => title)).toEqual(['Zed', 'Bea', 'Ann'])
    expect(all[1]?.problems).toEqual([{ what: 'refused', count: 1, cause: 'envelope/size', sinceMs: 70 }])
  })
})
