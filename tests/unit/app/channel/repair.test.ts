import { beforeEach, describe, expect, it } from 'vitest'
import { compareSeen } from '#app/channel/compare-seen.ts'
import { noteHead } from '#app/channel/heads.ts'
import type { Loaded } from '#app/channel/loaded.ts'
import { agreedUpTo, repairFork } from '#app/channel/repair-fork.ts'
import type { Deps } from '#app/deps.ts'
import { Draft } from '#app/draft.ts'
import { putHistory } from '#app/log/history.ts'
import { WAITING_FROM } from '#app/message/lines.ts'
import { setAside } from '#app/message/set-aside.ts'
import { takeBackIn } from '#app/message/take-back-in.ts'
import type { ChannelRecord, LineRecord, SyncRecord } from '#app/ports/records.ts'
import { decodeBody } from '#core/message/body.ts'
import type { AccountId, EntryId, Head, MessageId, PostId, Token } from '#core/wire/ids.ts'
import { MemoryRows } from '../../../support/memory-rows.ts'
import { Seeded } from '../../../support/seeded.ts'
import { PlainStore } from '../../../support/sim/plain-store.ts'

const accountOf = (n: number) => new Uint8Array(32).fill(n) as AccountId
const idOf = (n: number) => new Uint8Array(16).fill(n) as MessageId
const headOf = (n: number) => new Uint8Array(32).fill(n) as Head
const [OWN, ANN, BEN, GONE] = [accountOf(1), accountOf(2), accountOf(3), accountOf(4)]
const entry = { id: new Uint8Array(16) as EntryId, token: new Uint8Array(32) as Token }
const accounts = [OWN, ANN, BEN].map((account) => ({ account, entry: entry.id, sequence: 1, since: 3 }))
const sync = { accounts, cursor: 30 } as unknown as SyncRecord
const channel = { kind: 'group', title: 'x', theirs: 0, state: 'open' } as ChannelRecord

const text = (n: number, author: AccountId, more: Partial<Extract<LineRecord, { kind: 'text' }>> = {}): LineRecord => ({
  messageId: idOf(n),
  author,
  atMs: n,
  mine: author === OWN,
  theirs: 0,
  kind: 'text',
  text: `line ${n}`,
  state: author === OWN ? 'sent' : 'delivered',
  ...more,
})

let store: PlainStore
let deps: Deps
beforeEach(async () => {
  store = new PlainStore(new MemoryRows())
  await store.takeOver()
  deps = { store, clock: { now: () => 1_000, after: () => () => {} }, dice: new Seeded(1).dice } as unknown as Deps
})

describe('[C-06] [FRK1] what members saw', () => {
  const loaded = { id: 'c', channel, sync } as Loaded
  const seen = async (account: AccountId, position: number, n: number, at: Loaded = loaded) => {
    const draft = new Draft(store)
    noteHead(draft, 'c', 20, headOf(20))
    return compareSeen(draft, at, { account }, { position, head: headOf(n) }, 7)
  }

  it('another chain at a place that is known here: paused', async () => {
    expect((await seen(ANN, 20, 21)).loaded.channel).toMatchObject({
      state: 'paused',
      pausedBy: 'forked',
      pausedAtMs: 7,
    })
  })

  it('the same, or a place that is not known any more: it goes on', async () => {
    expect(await seen(ANN, 20, 20)).toEqual({ loaded, agreed: { account: ANN, position: 20 } })
    expect(await seen(ANN, 19, 21)).toEqual({ loaded })
  })

  it('[FRK2] another chain, in what came before the person said to go on: it goes on, and stops at the next one', async () => {
    const at = { ...loaded, sync: { ...sync, goneOnUpTo: 30 } }
    expect(await seen(ANN, 20, 21, at)).toEqual({ loaded: at })
    const next = { ...at, sync: { ...at.sync, cursor: 31 } }
    expect((await seen(ANN, 20, 21, next)).loaded.channel).toMatchObject({ pausedBy: 'forked' })
  })
})

describe('[FRK3] how far back a repair goes', () => {
  it.each([
    ['nobody has said anything: to where this account came in', [], 3],
    [
      'the least of what the others saw',
      [
        [ANN, 12],
        [BEN, 20],
      ],
      12,
    ],
    [
      'who is not there any more does not count',
      [
        [GONE, 5],
        [ANN, 12],
      ],
      12,
    ],
    [
      'nor do own devices',
      [
        [OWN, 5],
        [ANN, 12],
      ],
      12,
    ],
    ['not before this account came in', [[ANN, 1]], 3],
    ['not past what this device has', [[ANN, 99]], 30],
  ] as const)('%s', (_, agreed, upTo) => {
    const places = agreed.map(([account, position]) => ({ account, position }))
    expect(agreedUpTo(sync, places, OWN)).toBe(upTo)
  })
})

describe('[FRK2] a repair', () => {
  it('is made of a channel that is paused as forked, and of no other', async () => {
    await store.write([
      { put: 'syncs', key: 'c', record: sync },
      { put: 'channels', key: 'c', record: { ...channel, entry, state: 'paused', pausedBy: 'removed' } },
    ])
    await expect(repairFork(deps, 'c')).rejects.toMatchObject({ code: 'channel/not-forked' })
    await expect(repairFork(deps, 'unknown')).rejects.toMatchObject({ code: 'channel/not-forked' })
    await store.write([
      { put: 'channels', key: 'c', record: { ...channel, state: 'paused', pausedBy: 'forked' } },
      { put: 'meta', key: 'account', record: { kind: 'account', account: OWN } as never },
    ])
    await expect(repairFork(deps, 'c')).rejects.toMatchObject({ code: 'channel/no-entry' })
    await store.write([
      { put: 'channels', key: 'c', record: { ...channel, entry, state: 'paused', pausedBy: 'forked' } },
    ])
    await repairFork(deps, 'c')
    expect(await store.get('channels', 'c')).toMatchObject({ state: 'returning', repair: { after: 3 }, repaired: true })
    expect(await store.get('channels', 'c')).not.toHaveProperty('pausedBy')
  })
})

describe('[FRK4] [FRK5] lines of the side that is given up', () => {
  async function give(rows: readonly (readonly [number, LineRecord])[]): Promise<void> {
    await store.write(
      rows.flatMap(([order, record]) => [
        { put: 'lines', key: ['c', order], record } as const,
        { put: 'lineIds', key: ['c', toKey(record)], record: { order } } as const,
      ]),
    )
    const draft = new Draft(store)
    const changed = await setAside(deps, draft, { id: 'c', channel, after: 5, position: 10 })
    draft.put('channels', 'c', changed)
    await draft.commit()
  }
  const toKey = ({ messageId }: LineRecord) => Buffer.from(messageId).toString('base64url')
  const shown = async () =>
    (await store.list('lines', { of: 'c' })).map(({ key, record }) => [
      Number((key as readonly [string, number])[1]),
      record.kind === 'text' ? record.text : record.kind === 'notice' ? record.notice : '',
      record.kind === 'text' && record.aside === true,
    ])

  it('own ones go out once more under their ids, before what was written later; others are marked; none is lost', async () => {
    await give([
      [5, text(5, ANN)],
      [6, text(6, OWN)],
      [7, text(7, ANN)],
      [12, text(12, BEN)],
      [13, text(13, OWN)],
      [14, text(14, BEN)],
    ])
    const lines = await shown()
    expect(lines.map(([, what, aside]) => [what, aside])).toEqual([
      ['line 5', false],
      ['line 7', true],
      ['line 12', true],
      ['line 14', true],
      ['repaired', false],
      ['line 6', false],
      ['line 13', false],
    ])
    const orders = lines.map(([order]) => Number(order))
    expect(orders.slice(2, 5).every((order) => order > 9 && order < 10)).toBe(true)
    expect(orders.slice(5).every((order) => order > WAITING_FROM && order < WAITING_FROM + 1)).toBe(true)
    const outbox = await store.list('outbox', { of: 'c' })
    expect(outbox.map(({ record }) => decodeBody(record.body))).toMatchObject([
      { id: idOf(6), text: 'line 6', atMs: 6 },
      { id: idOf(13), text: 'line 13', atMs: 13 },
    ])
  })

  it('what waits goes out as a new post under a new seal: the relay may know the old one from another story', async () => {
    const postId = new Uint8Array(16).fill(77) as PostId
    const sealed = { commits: 1, envelope: new Uint8Array(4) }
    const row = { postId, body: new Uint8Array(1), sealed, attempts: 1 }
    await store.write([{ put: 'outbox', key: ['c', 8], record: row }])
    await give([])
    const after = await store.get('outbox', ['c', 8])
    expect(after).not.toHaveProperty('sealed')
    expect(after?.postId).not.toEqual(postId)
  })

  it('what was delivered in a conversation of two is not said again', async () => {
    const draft = new Draft(store)
    await store.write([{ put: 'lines', key: ['c', 6], record: text(6, OWN, { state: 'delivered' }) }])
    await setAside(deps, draft, { id: 'c', channel: { ...channel, kind: 'direct' }, after: 5, position: 10 })
    await draft.commit()
    expect(await store.list('outbox', { of: 'c' })).toEqual([])
    expect((await shown())[0]).toEqual([6, 'line 6', false])
  })

  it('a line that its author says again stands where all see it; somebody else can not do that', async () => {
    await give([[12, text(12, BEN)]])
    const draft = new Draft(store)
    await takeBackIn(draft, 'c', { account: ANN, messageId: idOf(12), order: 20 })
    await draft.commit()
    expect((await shown())[0]?.[2]).toBe(true)
    await takeBackIn(draft, 'c', { account: BEN, messageId: idOf(12), order: 20 })
    await draft.commit()
    expect((await shown()).at(-1)).toEqual([20, 'line 12', false])
    await takeBackIn(draft, 'c', { account: BEN, messageId: idOf(12), order: 25 })
    await draft.commit()
    expect((await shown()).at(-1), 'once').toEqual([20, 'line 12', false])
  })

  it('[L-01] two messages of one place stand beside each other, however often the log tells of them', async () => {
    await store.write([{ put: 'lines', key: ['c', 6], record: text(6, OWN) }])
    for (let i = 0; i < 3; i++) {
      const draft = new Draft(store)
      const told = [60, 61].map((n) => ({ order: 6, line: text(n, ANN) }))
      await putHistory(draft, 'c', told, { besides: true })
      await draft.commit()
    }
    const lines = (await store.list('blocks', { of: 'c' })).flatMap(({ record }) => record.lines)
    expect(lines.map(({ line }) => line.messageId[0])).toEqual([60, 61])
    expect(lines.every(({ order }) => order > 6 && order < 7)).toBe(true)
  })
})
