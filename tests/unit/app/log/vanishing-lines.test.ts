import { beforeEach, describe, expect, it } from 'vitest'
import { Draft } from '#app/draft.ts'
import { applyForget } from '#app/log/apply-forget.ts'
import { applyLines, type LineDelta } from '#app/log/apply-lines.ts'
import type { Applying } from '#app/log/settle-book.ts'
import { vanishLines } from '#app/message/vanish.ts'
import type { Clock } from '#app/ports/clock.ts'
import type { ChannelRecord, ContactRecord } from '#app/ports/records.ts'
import { giveWay } from '#app/share/give-way.ts'
import type { Dated, DeltaOf } from '#core/log/delta.ts'
import type { AccountId, Address, DeviceId, MessageId } from '#core/wire/ids.ts'
import { MemoryRows } from '../../../support/memory-rows.ts'
import { PlainStore } from '../../../support/sim/plain-store.ts'

const OWN = new Uint8Array(32).fill(1) as AccountId
const ANN = new Uint8Array(32).fill(2) as AccountId
const BOB = new Uint8Array(32).fill(3) as AccountId
const NOW = 10_000

const line = (n: number, more: Partial<LineDelta> = {}): LineDelta => ({
  kind: 'line',
  at: n,
  channel: new Uint8Array(32) as Address,
  order: n,
  messageId: new Uint8Array(16).fill(n) as MessageId,
  author: ANN,
  atMs: 1,
  text: `line ${n}`,
  ...more,
})

let store: PlainStore

const at = (afterMs: number): Clock => ({ now: () => NOW + afterMs, after: () => () => {} })

function applying(draft: Draft): Applying {
  return { deps: { store, clock: at(0) }, draft, own: { account: { account: OWN } } } as unknown as Applying
}

async function change<T>(make: (draft: Draft) => Promise<T>): Promise<T> {
  const draft = new Draft(store)
  const made = await make(draft)
  await draft.commit()
  return made
}

const apply = (...lines: readonly LineDelta[]) => change((draft) => applyLines(applying(draft), 'c', lines))

function forgotten(n: number): Dated<DeltaOf<'forget'>> {
  const { channel, messageId } = line(n)
  return { by: new Uint8Array(16) as DeviceId, delta: { kind: 'forget', at: 9, channel, messageId } }
}

const shown = async (): Promise<readonly string[]> => {
  const lines = (await store.list('blocks', { of: 'c' })).flatMap(({ record }) => record.lines)
  return lines.map(({ line: one }) => (one.kind === 'text' ? one.text : one.kind))
}

const listed = async () => (await store.get('channels', 'c'))?.lastText

beforeEach(async () => {
  store = new PlainStore(new MemoryRows())
  await store.takeOver()
  const channel = { kind: 'group', theirs: 0, lastText: '' } as ChannelRecord
  await store.write([{ put: 'channels', key: 'c', record: channel }])
})

describe('lines of the log that vanish', () => {
  it('[VAN5] are not put down when their time is over, not for a moment, and go in time where it is not', async () => {
    const lines = [line(1, { vanishesAtMs: NOW }), line(2, { vanishesAtMs: NOW + 500 }), line(3)]
    expect(await apply(...lines)).toBe(2)
    expect(await shown()).toEqual(['line 2', 'line 3'])
    expect(await vanishLines({ store, clock: at(500) }, 'c')).toEqual({ gone: true, nextMs: undefined })
    expect(await shown()).toEqual(['line 3'])
  })

  it.each([
    ['has vanished [VAN3]', () => vanishLines({ store, clock: at(500) }, 'c')],
    ['was deleted [MRG2]', () => change((draft) => applyForget(applying(draft), 'c', forgotten(1)))],
    ['has given way [SHR8]', () => change((draft) => giveWay(draft, 'c', line(1).messageId))],
  ])('leave no copy behind where a block’s first line %s before more came', async (_, take) => {
    await apply(line(1, { vanishesAtMs: NOW + 500, sharedBy: ANN }), line(2, { vanishesAtMs: NOW + 900 }))
    await take()
    expect(await shown()).toEqual(['line 2'])
    await apply(line(3))
    expect(await shown()).toEqual(['line 2', 'line 3'])
    await vanishLines({ store, clock: at(900) }, 'c')
    expect(await shown()).toEqual(['line 3'])
  })

  it('[VAN4] do not come again once they have gone here, however long another device still has them', async () => {
    await apply(line(2, { vanishesAtMs: NOW + 500 }))
    await vanishLines({ store, clock: at(500) }, 'c')
    expect(await apply(line(2, { at: 9, vanishesAtMs: NOW + 90_000 }), line(4))).toBe(1)
    expect(await shown()).toEqual(['line 4'])
  })

  it('[SHR8] keep who has shared them, and are never taken to be the account’s own', async () => {
    await apply(line(5, { sharedBy: ANN, author: OWN }))
    const [block] = await store.list('blocks', { of: 'c' })
    expect(block?.record.lines[0]?.line).toMatchObject({ sharedBy: ANN, mine: false, state: 'delivered' })
    await apply(line(5, { at: 9, text: 'the true words', author: OWN }))
    expect(await shown()).toEqual(['the true words'])
  })

  it('[SHR8] [M-11] what was shared, and what blocked people said, is not what the list shows, nor once a later message is gone', async () => {
    const contact = { account: BOB, name: 'Bob', sequence: 1, blocked: { is: true, atMs: 1 } } as ContactRecord
    await store.write([{ put: 'contacts', key: 'bob', record: contact }])
    const hers = { atMs: 5, vanishesAtMs: NOW + 500 }
    await apply(line(1, { sharedBy: ANN, atMs: 7 }), line(2, { author: BOB, atMs: 8 }))
    expect(await listed()).toBe('')
    await apply(line(3, hers), line(4, { sharedBy: ANN, atMs: 9 }), line(5, { author: BOB, atMs: 9 }))
    expect(await listed()).toBe('line 3')
    await vanishLines({ store, clock: at(500) }, 'c')
    expect(await listed()).toBe('')
    await apply(line(6))
    expect(await listed()).toBe('line 6')
  })
})
