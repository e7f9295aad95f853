import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Push } from '#app/ports/relay.ts'
import { toHex } from '#core/bytes/hex.ts'
import { nextHead } from '#core/channel/chain.ts'
import { labels } from '#core/crypto/labels.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import type { Address, TokenHash } from '#core/wire/ids.ts'
import type { SealedState } from '#core/wire/operations.ts'
import { type MemoryRelay, makeMemoryRelay } from '../support/memory-relay.ts'
import { envelopeTo, NOWHERE, Person } from '../support/relay/person.ts'
import { Seeded } from '../support/seeded.ts'

const DAY_MS = 86_400_000
let now = 0
let seed = 20_000
let relay: MemoryRelay
let address: Address
let ann: Person
let bea: Person

async function person(pushes: Push[] = []): Promise<Person> {
  return new Person(
    relay.connect((push) => pushes.push(push)),
    seed++,
  ).arrive()
}

/** Another device of the same account: it knows the entry's token from its log. */
async function deviceOf(one: Person, pushes: Push[] = []): Promise<Person> {
  const device = await person(pushes)
  device.entry = one.entry
  return device
}

/** A sealed state with a box for each of these accounts. */
function stateFor(...people: Person[]): SealedState {
  const box = (one: Person) => ({ entry: one.entry.id, box: one.entry.id.slice(0, 8) })
  return { info: new Uint8Array(500).fill(people.length), boxes: people.map(box) }
}

const remove = (...people: Person[]) => ({ add: [], remove: people.map(({ seat }) => seat) })
const add = (...people: Person[]) => ({ add: people.map((one) => one.asSeat()), remove: [] })

async function wait(ms: number): Promise<void> {
  await relay.idle()
  now += ms
  await relay.runAlarms(now)
  await relay.idle()
}

/** Ann moderates, Bea does not; the first commit, at position 1, left a state with a box for each. */
beforeEach(async () => {
  now = Date.UTC(2026, 5, 1, 12)
  relay = makeMemoryRelay({ clock: { now: () => now }, seed: seed++ })
  address = new Seeded(seed++).dice(32) as Address
  ann = await person()
  bea = await person()
  await ann.open(address)
  await ann.commit(address, { seats: add(bea), state: stateFor(ann, bea) })
  bea.known = (await bea.fetch(address)).from
})
afterEach(() => relay.close())

describe('a device comes back', () => {
  it('[CHN16] [C-07] by the token of its account’s entry; everybody else hears of it in the one order', async () => {
    const toBea: Push[] = []
    bea.caller = relay.connect((push) => toBea.push(push))
    await bea.caller.call('mailbox.attach', bea.mailbox)
    const second = await deviceOf(ann)
    const { at, last, lastCommit, info, box } = await second.state(address)
    expect([at, lastCommit, last.position]).toEqual([1, 1, 1])
    expect(info).toEqual(stateFor(ann, bea).info)
    expect(box).toEqual(ann.entry.id.slice(0, 8))
    const args = second.enterArgs(address, { after: lastCommit, state: stateFor(ann, bea) })
    expect(await second.caller.call('channel.enter', args)).toEqual({ position: 2 })
    expect(await second.caller.call('channel.enter', args), 'a lost answer').toEqual({ position: 2 })
    await relay.idle()
    expect(toBea).toMatchObject([{ name: 'wake', value: { carried: [{ position: 2, commit: true }] } }])

    const all = await ann.fetch(address)
    let { head } = all.from
    for (const item of all.envelopes) head = nextHead(head, item)
    expect(toHex(all.last.head)).toBe(toHex(head))
    second.known = (await second.fetch(address)).from
    expect(second.known.position, 'what came before is not for it').toBe(2)
    expect(await second.post(address, [second.id()], 2)).toMatchObject([{ position: 3 }])
    expect((await second.state(address)).at).toBe(2)
  })

  it('[CHN16] [C-03] is a commit like any other: one of two wins, the other hears where it stands', async () => {
    const second = await deviceOf(ann)
    const outcomes = await Promise.allSettled([
      bea.commit(address, { after: 1 }),
      second.enter(address, { after: 1 }),
      second.enter(address, { after: 9 }),
    ])
    expect(outcomes).toMatchObject([
      { status: 'fulfilled', value: 2 },
      { reason: { code: 'channel/commit-lost', detail: { position: 2 } } },
      { reason: { code: 'channel/behind' } },
    ])
    await expect(second.fetch(address)).rejects.toMatchObject({ code: 'seat/refused' })
  })

  it('[CHN16] removes lost seats of its own entry, of nobody else, and adds exactly itself', async () => {
    const second = await deviceOf(bea)
    const enter = (seats: { add: ReturnType<Person['asSeat']>[]; remove: Person['seat'][] }) =>
      second.enter(address, { after: 1, seats })
    await expect(enter({ ...add(second), remove: [ann.seat] })).rejects.toMatchObject({ code: 'channel/foreign-seat' })
    const foreign = { ...second.asSeat(), entry: ann.asSeat().entry }
    await expect(enter({ add: [foreign], remove: [] })).rejects.toMatchObject({ code: 'channel/foreign-seat' })
    await expect(enter({ add: [second.asSeat(true)], remove: [] })).rejects.toMatchObject({
      code: 'channel/not-moderator',
    })
    await expect(enter(remove(bea))).rejects.toMatchObject({ code: 'channel/one-seat' })
    expect((await ann.fetch(address)).last.position, 'nothing of it is there').toBe(1)
    expect(await enter({ ...add(second), remove: [bea.seat] })).toBe(2)
    await expect(bea.fetch(address)).rejects.toMatchObject({ code: 'seat/removed' })
  })

  it('[CHN16] with the rights of its account, though no seat of it is left', async () => {
    const lost = await deviceOf(ann)
    await lost.enter(address, { after: 1, seats: add(lost), state: stateFor(ann, bea) })
    await ann.caller.call('channel.expel', { ...ann.entryKey(address), seats: [ann.seat, lost.seat] })
    const restored = await deviceOf(ann)
    const seats = { add: [restored.asSeat(true)], remove: [ann.seat, lost.seat] }
    expect(await restored.enter(address, { after: 2, seats })).toBe(3)
    restored.known = (await restored.fetch(address)).from
    const cat = await person()
    expect(await restored.commit(address, { after: 3, seats: add(cat) })).toBe(4)
  })

  it('[CHN16] a demoted account does not come back as a moderator', async () => {
    const cat = await person()
    await ann.commit(address, { after: 1, seats: { add: [cat.asSeat(true)], remove: [] } })
    await ann.commit(address, { after: 2, seats: { add: [cat.asSeat(false)], remove: [cat.seat] } })
    const second = await deviceOf(cat)
    const seats = { add: [second.asSeat(true)], remove: [] }
    await expect(second.enter(address, { after: 3, seats })).rejects.toMatchObject({ code: 'channel/not-moderator' })
    expect(await second.enter(address, { after: 3 })).toBe(4)
  })

  it('[CHN15] only with the token; a channel that is not there, or another entry’s token, says so', async () => {
    const second = await deviceOf(ann)
    second.entry = { ...ann.entry, token: bea.entry.token }
    for (const call of [second.enter(address, { after: 1 }), second.state(address)]) {
      await expect(call).rejects.toMatchObject({ code: 'entry/refused', retryable: false })
    }
    const nowhere = new Seeded(seed++).dice(32) as Address
    await expect(ann.state(nowhere)).rejects.toMatchObject({ code: 'channel/unknown' })
    await expect(ann.enter(nowhere)).rejects.toMatchObject({ code: 'channel/unknown' })
  })

  it('[CHN15] [T-07] a new token ends the old one, and whoever adds a seat later can’t change it', async () => {
    const token = ann.token32()
    const tokenHash = hashToken<TokenHash>(labels.entryToken, token)
    const change = { ...bea.entryKey(address), tokenHash }
    await bea.caller.call('channel.reentry', change)
    await bea.caller.call('channel.reentry', change) // its answer was lost
    await expect(bea.state(address)).rejects.toMatchObject({ code: 'entry/refused' })
    const second = await deviceOf(bea) // as whoever adds it knows the entry: by its first token
    await ann.commit(address, { after: 1, seats: add(second) })
    await expect(bea.state(address)).rejects.toMatchObject({ code: 'entry/refused' })
    bea.entry = { ...bea.entry, token }
    await expect(bea.state(address)).resolves.toMatchObject({ at: 1 })
    const stored = relay.dump().flatMap(({ rows }) => rows.flat())
    const cells = stored.map((cell) => (cell instanceof Uint8Array ? toHex(cell) : String(cell))).join()
    for (const secret of [token, ann.entry.token]) expect(cells).not.toContain(toHex(secret))
  })
})

describe('sealed state', () => {
  it('[CHN17] is that of the newest commit that brought one, and each entry gets its own box', async () => {
    await bea.commit(address, { after: 1 })
    expect(await ann.state(address)).toMatchObject({ at: 1, lastCommit: 2, commits: 2 })
    await ann.commit(address, { after: 2, state: { ...stateFor(ann), info: Uint8Array.of(7) } })
    expect(await ann.state(address)).toMatchObject({ at: 3, info: Uint8Array.of(7) })
    const without = await bea.state(address)
    expect(without).toMatchObject({ at: 0, lastCommit: 3 })
    expect([without.info, without.box]).toEqual([undefined, undefined])
  })

  it('[CHN17] outlives a restart and every envelope; a commit that lost leaves none', async () => {
    await bea.commit(address, { after: 1, state: stateFor(ann, bea) })
    const lost = ann.commit(address, { after: 1, state: stateFor(ann) })
    await expect(lost).rejects.toMatchObject({ code: 'channel/commit-lost' })
    for (const one of [ann, bea]) await one.ack(address, 2)
    for (let day = 0; day < 40; day++) await wait(DAY_MS)
    relay.restart()
    ann.caller = relay.connect(() => {})
    expect(await ann.state(address)).toMatchObject({ at: 2, last: { position: 2 } })
  })

  it('[CHN17] keeps no box of who has no entry here', async () => {
    const cat = await person()
    await ann.commit(address, { after: 1, state: stateFor(ann, bea, cat) })
    expect(relay.dump().find(({ table }) => table === 'boxes')?.rows).toHaveLength(2)
  })
})

describe('who is gone', () => {
  it('[CHN15] an account whose last seat a commit takes, and leaves it no box, is out: also with its token', async () => {
    await ann.commit(address, { after: 1, seats: remove(bea), state: stateFor(ann) })
    const second = await deviceOf(bea)
    await expect(second.enter(address, { after: 2 })).rejects.toMatchObject({ code: 'entry/removed' })
    await expect(bea.state(address)).rejects.toMatchObject({ code: 'entry/removed' })
    await ann.commit(address, { after: 2, state: stateFor(ann) })
    await expect(bea.state(address)).rejects.toMatchObject({ code: 'entry/removed' })
    await ann.commit(address, { after: 3, seats: add(bea), state: stateFor(ann, bea) })
    await expect(bea.state(address)).resolves.toMatchObject({ at: 4 })
  })

  it('[CHN15] [C-04] an account that a void commit took the last seat of is in again with the next box of a moderator', async () => {
    const cat = await person()
    await ann.commit(address, { after: 1, seats: add(cat), state: stateFor(ann, bea, cat) })
    await ann.commit(address, { after: 2, seats: remove(bea) })
    await expect(bea.state(address)).rejects.toMatchObject({ code: 'entry/removed' })
    cat.known = (await cat.fetch(address)).from
    await cat.commit(address, { after: 3, state: stateFor(ann, bea, cat) })
    await expect(bea.state(address), 'nobody else lets it in').rejects.toMatchObject({ code: 'entry/removed' })
    await ann.commit(address, { after: 4, state: stateFor(ann, bea, cat) })
    const second = await deviceOf(bea)
    expect(await second.enter(address, { after: 5 })).toBe(6)
  })

  it('[CHN15] an account whose devices were all revoked keeps its box, and comes back', async () => {
    await bea.caller.call('channel.expel', { ...bea.entryKey(address), seats: [bea.seat] })
    await ann.commit(address, { after: 1, seats: remove(bea), state: stateFor(ann, bea) })
    for (let day = 0; day < 40; day++) await wait(DAY_MS)
    const restored = await deviceOf(bea)
    expect(await restored.enter(address, { after: 2 })).toBe(3)
  })

  it('[CHN15] a removed entry is forgotten with its seats', async () => {
    await ann.commit(address, { after: 1, seats: remove(bea), state: stateFor(ann) })
    await ann.ack(address, 2)
    for (let day = 0; day < 17; day++) await wait(DAY_MS)
    expect(
      relay.dump().find(({ table, object }) => table === 'entries' && object.startsWith('CHANNEL'))?.rows,
    ).toHaveLength(1)
    expect(relay.dump().find(({ table }) => table === 'seats')?.rows).toHaveLength(1)
    await expect(bea.state(address)).rejects.toMatchObject({ code: 'entry/refused' })
  })

  it('[CHN18] [K-07] expelled seats of the own entry are dead at once; other seats are out of reach', async () => {
    const second = await deviceOf(bea)
    await second.enter(address, { after: 1 })
    const expel = (seats: Person['seat'][]) =>
      second.caller.call('channel.expel', { ...second.entryKey(address), seats })
    await expect(expel([bea.seat, ann.seat])).rejects.toMatchObject({ code: 'channel/foreign-seat' })
    await expect(bea.fetch(address)).resolves.toBeDefined()
    await expel([bea.seat])
    await expel([bea.seat])
    await expect(bea.fetch(address)).rejects.toMatchObject({ code: 'seat/removed' })
    await expect(bea.post(address)).rejects.toMatchObject({ code: 'seat/removed' })
    expect((await second.fetch(address)).last.position, 'no commit').toBe(2)
  })

  it('[CHN18] what waited only for an expelled seat is deleted', async () => {
    await ann.post(address, [ann.id()], 1)
    await ann.ack(address, 2)
    await bea.caller.call('channel.expel', { ...bea.entryKey(address), seats: [bea.seat] })
    await wait(10_000)
    const log = relay.dump().find(({ table }) => table === 'log')?.rows ?? []
    expect(log.map((row) => row.at(-1))).toEqual([null, null])
  })

  it('[CHN8] [K-07] a seat that does not moderate removes seats of its own entry, by a commit', async () => {
    const second = await deviceOf(bea)
    await second.enter(address, { after: 1 })
    second.known = (await second.fetch(address)).from
    const takesAnn = second.commit(address, { after: 2, seats: remove(bea, ann) })
    await expect(takesAnn).rejects.toMatchObject({ code: 'channel/not-moderator' })
    expect(await second.commit(address, { after: 2, seats: remove(bea) })).toBe(3)
    await expect(bea.fetch(address)).rejects.toMatchObject({ code: 'seat/removed' })
    await expect(second.state(address)).resolves.toBeDefined()
  })
})

describe('a mailbox', () => {
  const closer = (token: Uint8Array) => hashToken<TokenHash>(labels.mailboxToken, token)

  it('[K-07] is emptied and shut for good by another device of the account', async () => {
    const lost = new Person(
      relay.connect(() => {}),
      seed++,
    )
    const token = lost.token32()
    const box = { address: lost.mailbox.address, tokenHash: closer(lost.mailbox.token), closer: closer(token) }
    await lost.caller.call('mailbox.open', box)
    await lost.caller.call('mailbox.open', box)
    await lost.arrive()
    const welcomes = [{ drop: lost.drop, envelope: envelopeTo(NOWHERE, 512) }]
    await ann.commit(address, { after: 1, seats: add(lost), welcomes })
    await relay.idle()
    expect((await lost.mail()).items).toHaveLength(1)

    const close = { address: lost.mailbox.address, token }
    await expect(ann.caller.call('mailbox.close', { ...close, token: ann.token32() })).rejects.toMatchObject({
      code: 'mailbox/refused',
    })
    await ann.caller.call('mailbox.close', close)
    await ann.caller.call('mailbox.close', close)
    await expect(lost.mail()).rejects.toMatchObject({ code: 'mailbox/closed', retryable: false })
    await expect(lost.caller.call('mailbox.open', box)).rejects.toMatchObject({ code: 'mailbox/closed' })
    await expect(lost.caller.call('mailbox.attach', lost.mailbox)).rejects.toMatchObject({ code: 'mailbox/closed' })
    const mailbox = relay.dump().filter(({ table, rows }) => ['items', 'labels'].includes(table) && rows.length > 0)
    expect(mailbox).toEqual([])
    await ann.commit(address, { after: 2, welcomes })
    await wait(2_000)
    expect(relay.dump().find(({ table }) => table === 'welcomes')?.rows, 'nobody waits for it').toEqual([])
  })

  it('[K-07] shuts by its own token too, and by no closer that came second', async () => {
    const { address: at, token } = bea.mailbox
    const first = bea.token32()
    const open = (hash: TokenHash) =>
      bea.caller.call('mailbox.open', { address: at, tokenHash: closer(token), closer: hash })
    await open(closer(first))
    await expect(open(closer(bea.token32()))).rejects.toMatchObject({ code: 'mailbox/exists' })
    await bea.caller.call('mailbox.close', bea.mailbox)
    await expect(bea.mail()).rejects.toMatchObject({ code: 'mailbox/closed' })
    const other = { address: ann.token32() as Uint8Array as Address, token }
    await expect(bea.caller.call('mailbox.close', other)).rejects.toMatchObject({ code: 'mailbox/unknown' })
  })
})
