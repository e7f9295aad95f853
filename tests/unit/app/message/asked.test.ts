import { beforeEach, describe, expect, it } from 'vitest'
import type { Loaded } from '#app/channel/loaded.ts'
import { theirsUpTo, unreadOf } from '#app/channel/unread.ts'
import type { Deps } from '#app/deps.ts'
import { Draft } from '#app/draft.ts'
import { conversationActs } from '#app/face/conversation-acts.ts'
import type { FaceDeps, FaceHands } from '#app/face/face-deps.ts'
import { followRead } from '#app/log/follow-read.ts'
import { answerAsked } from '#app/message/answer-asked.ts'
import { addLine, WAITING_FROM } from '#app/message/lines.ts'
import { noteAnswered, noteAsked, takeAgain } from '#app/message/receive-asked.ts'
import { missLines, openSeam } from '#app/message/seam.ts'
import { vanishLines } from '#app/message/vanish.ts'
import type { AccountRecord, ChannelRecord, SyncRecord } from '#app/ports/records.ts'
import { decodeBody } from '#core/message/body.ts'
import type { AccountId, EntryId, MessageId } from '#core/wire/ids.ts'
import type { Ordered } from '#core/wire/operations.ts'
import { MemoryRows } from '../../../support/memory-rows.ts'
import { Seeded } from '../../../support/seeded.ts'
import { PlainStore } from '../../../support/sim/plain-store.ts'

const account = (n: number) => new Uint8Array(32).fill(n) as AccountId
const idOf = (n: number) => new Uint8Array(16).fill(n) as MessageId
const [OWN, ANN, BEN] = [account(1), account(2), account(3)]
const own = { account: OWN } as AccountRecord
const item = (position: number) => ({ position }) as Ordered
const ask = (after: number, upTo: number) => ({ v: 1, id: idOf(9), atMs: 1, kind: 'ask', after, upTo }) as const
type Line = { readonly id: MessageId; readonly order: number; readonly text: string; readonly leftMs?: number }
const again = (...lines: readonly Line[]) =>
  ({
    v: 1,
    id: idOf(8),
    atMs: 1,
    kind: 'again',
    ask: idOf(9),
    lines: lines.map((line) => ({ ...line, atMs: 5 })),
  }) as const

let store: PlainStore
let deps: Deps
let loaded: Loaded

beforeEach(async () => {
  store = new PlainStore(new MemoryRows())
  await store.takeOver()
  deps = { store, clock: { now: () => 1_000, after: () => () => {} }, dice: new Seeded(1).dice } as unknown as Deps
  const accounts = [
    { account: OWN, entry: new Uint8Array(16) as EntryId, sequence: 1, since: 4 },
    { account: ANN, entry: new Uint8Array(16).fill(1) as EntryId, sequence: 1, since: 10 },
    { account: BEN, entry: new Uint8Array(16).fill(2) as EntryId, sequence: 1, since: 0 },
  ]
  const channel = { kind: 'group', theirs: 0 } as ChannelRecord
  loaded = { id: 'c', channel, sync: { accounts, seats: [], joinedAt: 4 } as unknown as SyncRecord } as Loaded
})

describe('what another account asks for', () => {
  const asked = (from: AccountId, after: number, upTo: number) =>
    noteAsked(deps, loaded, own, { account: from }, item(50), ask(after, upTo)).sync.asked

  it('[SEAM2] [C-11] is what was sent while it was in the channel, and before it came back', () => {
    expect(asked(ANN, 0, 1000)).toMatchObject([{ after: 10, upTo: 50 }])
    expect(asked(ANN, 20, 30)).toMatchObject([{ after: 20, upTo: 30 }])
  })

  it('[SEAM2] is nothing where an own device asks, or somebody who is not in the channel', () => {
    expect(asked(OWN, 20, 30)).toBeUndefined()
    expect(asked(account(7), 20, 30)).toBeUndefined()
  })

  it('[SEAM2] is told first by a device that was there all the time', () => {
    const soon = asked(ANN, 20, 30)?.[0]?.notBeforeMs ?? 0
    loaded = { ...loaded, sync: { ...loaded.sync, joinedAt: 25 } }
    expect(soon).toBeLessThanOrEqual(16_000)
    expect(asked(ANN, 20, 30)?.[0]?.notBeforeMs).toBeGreaterThan(60_000)
  })

  it('[SEAM4] is left to another own device that has answered', async () => {
    const next = noteAsked(deps, loaded, own, { account: ANN }, item(50), ask(20, 30))
    const answer = { v: 1, id: idOf(7), atMs: 1, kind: 'answered', ask: idOf(9) } as const
    const after = await noteAnswered(new Draft(store), next, own, { account: OWN }, answer)
    expect(after.sync.asked).toEqual([])
  })

  it('[R-06] is kept for later up to a bound', () => {
    for (let i = 0; i < 100; i++) loaded = noteAsked(deps, loaded, own, { account: ANN }, item(50), ask(20, 30))
    expect(loaded.sync.asked).toHaveLength(32)
  })
})

describe('a seam', () => {
  const opened = async (after: number, upTo: number): Promise<Loaded> => {
    const draft = new Draft(store)
    const next = await openSeam(deps, draft, loaded, own, { after, upTo })
    await draft.commit()
    return next
  }
  const orders = async () => (await store.list('lines', { of: 'c' })).map(({ key }) => (key as [string, number])[1])

  it('[SEAM1] asks for what lies between, not for what was before its account came in, and says so', async () => {
    const next = await opened(0, 40)
    expect(next.sync.seams).toMatchObject([{ after: 4, upTo: 40, at: 40, waiting: [ANN, BEN] }])
    const [row] = await store.list('outbox', { of: 'c' })
    expect(row && decodeBody(row.record.body)).toMatchObject({ kind: 'ask', after: 4, upTo: 40 })
    expect(await store.get('lines', ['c', 40])).toMatchObject({ kind: 'notice', notice: 'gap' })
  })

  it('[SEAM1] is none where nothing lies between', async () => {
    expect((await opened(39, 40)).sync.seams).toBeUndefined()
    expect(await store.list('outbox', { of: 'c' })).toEqual([])
  })

  it('[SEAM3] takes an author’s lines inside of it, each once, and nothing from outside', async () => {
    const next = await opened(10, 40)
    const draft = new Draft(store)
    const told = again(
      { id: idOf(20), order: 12, text: 'inside' },
      { id: idOf(20), order: 13, text: 'twice' },
      { id: idOf(21), order: 10, text: 'before' },
      { id: idOf(22), order: 40, text: 'after' },
    )
    await takeAgain(deps, draft, next, { account: ANN }, told)
    await takeAgain(deps, draft, next, { account: BEN }, again({ id: idOf(23), order: 12, text: 'in its place' }))
    await draft.commit()
    const blocks = (await store.list('blocks', { of: 'c' })).flatMap(({ record }) => record.lines)
    expect(blocks.map(({ order, line }) => [order, line.kind === 'text' && line.text, line.author])).toEqual([
      [12, 'inside', ANN],
    ])
  })

  it('[VAN4] [SEAM3] keeps what is left of a message’s time, and takes none that has vanished here', async () => {
    const next = await opened(10, 40)
    const gone = new Draft(store)
    gone.put('vanishing', ['c', 900], { ids: [idOf(24)] })
    await gone.commit()
    await vanishLines(deps, 'c')
    const draft = new Draft(store)
    const told = again(
      { id: idOf(20), order: 12, text: 'for a while', leftMs: 500 },
      { id: idOf(24), order: 13, text: 'gone already', leftMs: 500 },
    )
    await takeAgain(deps, draft, next, { account: ANN }, told)
    await draft.commit()
    const lines = (await store.list('blocks', { of: 'c' })).flatMap(({ record }) => record.lines)
    expect(lines).toMatchObject([{ order: 12, line: { text: 'for a while', vanishesAtMs: 1_500 } }])
    const later = { ...deps, clock: { ...deps.clock, now: () => 1_500 } }
    expect(await vanishLines(later, 'c')).toEqual({ gone: true, nextMs: undefined })
    expect((await store.list('blocks', { of: 'c' })).flatMap(({ record }) => record.lines)).toEqual([])
  })

  it('[VAN4] [SEAM2] is said again with what is left of its time', async () => {
    const line = { author: OWN, atMs: 5, mine: true, theirs: 0, kind: 'text', state: 'sent' } as const
    const [lasting, timed] = [idOf(31), idOf(32)]
    await store.write([
      { put: 'lines', key: ['c', 12], record: { ...line, messageId: lasting, text: 'stays' } },
      { put: 'lines', key: ['c', 13], record: { ...line, messageId: timed, text: 'goes', vanishesAtMs: 1_400 } },
    ])
    const asked = [{ ask: idOf(9), after: 10, upTo: 20, notBeforeMs: 0 }]
    await answerAsked(deps, { ...loaded, sync: { ...loaded.sync, asked } })
    const [first] = await store.list('outbox', { of: 'c' })
    const body = first && decodeBody(first.record.body)
    expect(body?.kind === 'again' && body.lines.map(({ id, leftMs }) => [id, leftMs])).toEqual([
      [lasting, undefined],
      [timed, 400],
    ])
  })

  it('[SEAM1] [M-09] its line goes when the last of the others has answered', async () => {
    let next = await opened(10, 40)
    const [seam] = next.sync.seams ?? []
    if (seam === undefined) throw new Error('no seam')
    const answer = { v: 1, id: idOf(7), atMs: 1, kind: 'answered', ask: seam.ask } as const
    for (const [from, left] of [
      [ANN, [40]],
      [ANN, [40]],
      [BEN, []],
    ] as const) {
      const draft = new Draft(store)
      next = await noteAnswered(draft, next, own, { account: from }, answer)
      await draft.commit()
      expect(await orders()).toEqual(left)
    }
    expect(next.sync.seams).toEqual([])
  })

  it('[M-09] a message that was not for this device’s leaf is named until its author has sent it again', async () => {
    const draft = new Draft(store)
    const next = await missLines(deps, draft, loaded, own, { after: 11, upTo: 13, cause: 'outer/epoch-gone' })
    await draft.commit()
    expect(await store.get('lines', ['c', 12])).toMatchObject({ kind: 'unreadable', cause: 'outer/epoch-gone' })
    const taking = new Draft(store)
    await takeAgain(deps, taking, next, { account: ANN }, again({ id: idOf(20), order: 12, text: 'here it is' }))
    await taking.commit()
    expect(await orders()).toEqual([])
    expect((await store.list('blocks', { of: 'c' })).flatMap(({ record }) => record.lines)).toMatchObject([
      { order: 12, line: { text: 'here it is' } },
    ])
  })

  /** Ann wrote at 11, and at 12 what this device could not read until she had sent it again. */
  const saidAgain = async (): Promise<void> => {
    const draft = new Draft(store)
    const line = { kind: 'text', messageId: idOf(19), author: ANN, mine: false, atMs: 1, text: 'before it' } as const
    const channel = await addLine(draft, loaded, 11, line)
    const stretch = { after: 11, upTo: 13, cause: 'outer/epoch-gone' }
    const next = await missLines(deps, draft, { ...loaded, channel }, own, stretch)
    draft.put('channels', 'c', next.channel)
    await takeAgain(deps, draft, next, { account: ANN }, again({ id: idOf(20), order: 12, text: 'here it is' }))
    await draft.commit()
  }
  const unread = async (): Promise<number> => {
    const channel = await store.get('channels', 'c')
    return channel === undefined ? -1 : unreadOf(channel, await store.get('reads', 'c'))
  }

  it('[M-09] what was sent again is read with the rest, though the line that was counted for it is gone', async () => {
    await saidAgain()
    expect(await unread()).toBe(2)
    const hands = { announce: () => {}, wake: () => {}, tell: () => {} } as unknown as FaceHands
    const acts = conversationActs(deps as unknown as FaceDeps, hands)
    await acts.markRead('c', 11)
    await acts.markRead('c', 12)
    expect(await unread()).toBe(0)
  })

  it('[M-09] or where another device of the account has read it', async () => {
    await store.write([{ put: 'reads', key: 'c', record: { order: 12, theirs: 0 } }])
    await saidAgain()
    await followRead(store, 'c')
    expect(await unread()).toBe(0)
  })

  it('[M-09] and is unread until then', async () => {
    await store.write([{ put: 'reads', key: 'c', record: { order: 11, theirs: 1 } }])
    await saidAgain()
    await followRead(store, 'c')
    expect(await unread()).toBe(1)
  })

  it('reading up to a place leaves unread what stands behind it', async () => {
    const draft = new Draft(store)
    let { channel } = loaded
    for (const order of [11, 12, 13]) {
      const line = { kind: 'text', messageId: idOf(order), author: ANN, mine: false, atMs: 1, text: 'hello' } as const
      channel = await addLine(draft, { ...loaded, channel }, order, line)
    }
    draft.put('channels', 'c', channel)
    await draft.commit()
    expect(await Promise.all([10, 11, 12, 13, WAITING_FROM + 3].map((order) => theirsUpTo(store, 'c', order)))).toEqual(
      [0, 1, 2, 3, 3],
    )
  })

  it('[SEAM5] [C-02] in a channel of more than 64 devices nobody is waited for, and who has nothing to tell says nothing', async () => {
    const large = { ...loaded, sync: { ...loaded.sync, seats: Array.from({ length: 65 }) } } as unknown as Loaded
    const draft = new Draft(store)
    const next = await missLines(deps, draft, large, own, { after: 11, upTo: 13, cause: 'outer/epoch-gone' })
    await draft.commit()
    const [seam] = next.sync.seams ?? []
    expect(seam).toMatchObject({ waiting: [], untilMs: 1_000 + 30 * 24 * 60 * 60 * 1000 })
    const answer = { v: 1, id: idOf(7), atMs: 1, kind: 'answered', ask: seam?.ask ?? idOf(0) } as const
    const after = await noteAnswered(new Draft(store), next, own, { account: ANN }, answer)
    expect(after.sync.seams).toEqual([seam])
    const before = (await store.list('outbox', { of: 'c' })).length
    const asked = noteAsked(deps, large, own, { account: ANN }, item(50), ask(20, 30))
    const late = { ...deps, clock: { now: () => 100_000, after: () => () => {} } } as unknown as Deps
    const told = await answerAsked(late, asked)
    expect(told.sync.asked).toEqual([])
    expect(await store.list('outbox', { of: 'c' })).toHaveLength(before)
  })
})
