import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toHex } from '#core/bytes/hex.ts'
import type { Address } from '#core/wire/ids.ts'
import { type MemoryRelay, makeMemoryRelay } from '../support/memory-relay.ts'
import { envelopeTo, Person } from '../support/relay/person.ts'
import { Seeded } from '../support/seeded.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const MEMBERS = 20
let now = 0
let seed = 90_000
let relay: MemoryRelay
let address: Address
let people: Person[]
let ann: Person
/** Another device of ann's account, which is not in. */
let phone: Person

async function person(): Promise<Person> {
  return new Person(
    relay.connect(() => {}),
    seed++,
  ).arrive()
}

const entryKey = (one: Person) => ({ address, entry: one.entry.id, token: one.entry.token })
const ask = (one: Person, refused?: number) =>
  one.caller.call('channel.ask', { ...entryKey(one), ...(refused === undefined ? {} : { refused }) })
const state = (one: Person) => one.caller.call('channel.state', entryKey(one))
const stateFor = (one: Person, fill = 1) => ({
  info: new Uint8Array(300).fill(fill),
  boxes: [{ entry: one.entry.id, box: new Uint8Array(8).fill(fill) }],
})
const answer = (by: Person, fill = 1, after = 1) =>
  by.caller.call('channel.answer', { ...by.key(address), after, state: stateFor(ann, fill) })
const wanted = async (by: Person) =>
  (await by.caller.call('channel.fetch', { ...by.key(address), after: 1 })).wanted?.map(toHex)

async function asked(): Promise<Person[]> {
  const told: Person[] = []
  for (const one of people) if ((await wanted(one)) !== undefined) told.push(one)
  return told
}

async function first(): Promise<Person> {
  const [one] = await asked()
  if (one === undefined) throw new Error('nobody was asked')
  return one
}

async function wait(ms: number): Promise<void> {
  await relay.idle()
  now += ms
  await relay.runAlarms(now)
  await relay.idle()
}

const rows = (table: string) => relay.dump().find((one) => one.table === table)?.rows.length ?? 0

beforeEach(async () => {
  now = Date.UTC(2026, 5, 1, 12)
  relay = makeMemoryRelay({ clock: { now: () => now }, seed: seed++ })
  address = new Seeded(seed++).dice(32) as Address
  ann = await person()
  people = [ann]
  for (let i = 1; i < MEMBERS; i++) people.push(await person())
  await ann.open(address)
  const add = people.slice(1).map((one) => one.asSeat())
  await ann.commit(address, { seats: { add, remove: [] } })
  for (const one of people) await one.ack(address, 1)
  phone = await person()
  phone.entry = ann.entry
})
afterEach(() => relay.close())

describe('a state that is asked for', () => {
  it('[CHN23] is told to four seats, and once a minute to more, until one of them has left it', async () => {
    expect(await asked()).toEqual([])
    await ask(phone)
    await ask(phone)
    expect(await asked()).toHaveLength(4)
    expect(await wanted(await first())).toEqual([toHex(ann.entry.id)])
    await wait(MINUTE_MS)
    expect(await asked()).toHaveLength(8)
    await wait(MINUTE_MS)
    expect(await asked()).toHaveLength(16)
    await answer(await first())
    expect(await asked()).toEqual([])
    expect(await state(phone)).toMatchObject({ at: 1, lastCommit: 1, n: 1, info: stateFor(ann).info })
    await wait(MINUTE_MS)
    expect(await asked()).toEqual([])
  })

  it('[CHN23] comes of those alone who were told, once an epoch, for the epoch that there is', async () => {
    const told = async () => new Set((await asked()).map(({ seat }) => toHex(seat)))
    await expect(answer(ann)).rejects.toMatchObject({ code: 'state/unasked' })
    await ask(phone)
    const names = await told()
    const other = people.find(({ seat }) => !names.has(toHex(seat)))
    if (other === undefined) throw new Error('all were told')
    await expect(answer(other)).rejects.toMatchObject({ code: 'state/unasked' })
    const one = await first()
    await expect(answer(one, 1, 0)).rejects.toMatchObject({ code: 'channel/commit-lost' })
    await answer(one)
    await expect(answer(one), 'a resend').rejects.toMatchObject({ code: 'state/unasked' })
  })

  it('[CHN23] that was no good is asked of others, whose answer takes its place; nobody is made to answer for ever', async () => {
    await ask(phone)
    let answers = 0
    for (let minute = 0; minute < 40; minute++) {
      for (const one of await asked()) {
        if ((await wanted(one)) === undefined) continue
        await answer(one, ++answers)
        const { n } = await state(phone)
        expect(n).toBe(answers)
        await ask(phone, n)
        expect((await state(phone)).info).toBeUndefined()
      }
      await wait(MINUTE_MS)
    }
    expect(answers).toBe(16)
  })

  it('[CHN23] begins anew with the next epoch, ends when the account is in, and is forgotten after a day', async () => {
    await ask(phone)
    await answer(await first())
    await ann.commit(address, { after: 1 })
    for (const one of people) await one.ack(address, 2)
    expect((await state(phone)).at).toBe(1)
    await ask(phone)
    expect(await asked()).toHaveLength(4)
    const seats = { add: [phone.asSeat()], remove: [] }
    const enter = { ...entryKey(phone), id: phone.id(), after: 2, envelope: envelopeTo(address), seats }
    await phone.caller.call('channel.enter', enter)
    expect(await asked()).toEqual([])
    expect(rows('asks')).toBe(0)
    const [bea] = people.slice(1)
    if (bea === undefined) throw new Error('nobody')
    await bea.caller.call('channel.ask', entryKey(bea))
    await wait(DAY_MS)
    await wait(DAY_MS)
    await wait(DAY_MS)
    expect([rows('asks'), rows('asked')]).toEqual([0, 0])
  })

  it('[CHN23] [CHN21] comes in pieces where it is large; they are gone with the epoch, and nobody else’s are', async () => {
    const stash = { id: new Uint8Array(16).fill(9), pieces: 2 }
    await ask(phone)
    const one = await first()
    const left = { ...stateFor(ann), info: new Uint8Array() }
    const args = { ...one.key(address), after: 1, state: left, stash }
    await expect(one.caller.call('channel.answer', args)).rejects.toMatchObject({ code: 'stash/incomplete' })
    for (const n of [0, 1]) {
      await one.caller.call('channel.stash', { ...one.key(address), stash, n, bytes: new Uint8Array(50).fill(n) })
    }
    await one.caller.call('channel.answer', args)
    expect(await state(phone)).toMatchObject({ stash: { pieces: 2 } })
    for (const n of [0, 1]) {
      expect(await phone.caller.call('channel.piece', { ...entryKey(phone), n })).toEqual({
        bytes: new Uint8Array(50).fill(n),
      })
    }
    const [, bea] = people
    if (bea === undefined) throw new Error('nobody')
    expect(await bea.caller.call('channel.piece', { ...entryKey(bea), n: 0 }), 'no box').toEqual({})
    await ann.commit(address, { after: 1 })
    expect(rows('stash')).toBe(0)
    expect(await phone.caller.call('channel.piece', { ...entryKey(phone), n: 0 })).toEqual({})
  })

  it('[CHN15] [CHN23] is nothing to who was removed, or has a wrong token', async () => {
    const [, bea] = people
    if (bea === undefined) throw new Error('nobody')
    await ann.commit(address, { after: 1, seats: { add: [], remove: [bea.seat] } })
    await expect(ask(bea)).rejects.toMatchObject({ code: 'entry/removed' })
    const token = ann.token32()
    await expect(phone.caller.call('channel.ask', { ...entryKey(phone), token })).rejects.toMatchObject({
      code: 'entry/refused',
    })
    expect(rows('asks')).toBe(0)
  })

  it('[CHN23] is still asked for when the relay has started again', async () => {
    await ask(phone)
    const before = (await asked()).map(({ seat }) => toHex(seat))
    relay.restart()
    for (const one of [...people, phone]) one.caller = relay.connect(() => {})
    expect((await asked()).map(({ seat }) => toHex(seat))).toEqual(before)
    await wait(MINUTE_MS)
    expect(await asked()).toHaveLength(8)
  })

  it('[CHN23] is told to more after a minute, though the channel slept in between and somebody else asks', async () => {
    await wait(MINUTE_MS) // nothing else is due
    await ask(phone)
    await wait(MINUTE_MS / 2)
    relay.restart()
    for (const one of [...people, phone]) one.caller = relay.connect(() => {})
    const bea = await person()
    bea.entry = people[1]?.entry ?? bea.entry
    await ask(bea)
    await wait(MINUTE_MS / 2)
    expect(await asked()).toHaveLength(8)
  })
})
