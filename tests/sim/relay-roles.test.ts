import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Push } from '#app/ports/relay.ts'
import { toHex } from '#core/bytes/hex.ts'
import { nextHead } from '#core/channel/chain.ts'
import type { Address } from '#core/wire/ids.ts'
import { type MemoryRelay, makeMemoryRelay } from '../support/memory-relay.ts'
import { Person } from '../support/relay/person.ts'
import { Seeded } from '../support/seeded.ts'

let now = 0
let seed = 60_000
let relay: MemoryRelay
let address: Address
let ann: Person
let bea: Person
let cat: Person

async function person(pushes: Push[] = []): Promise<Person> {
  return new Person(
    relay.connect((push) => pushes.push(push)),
    seed++,
  ).arrive()
}

const add = (...people: Person[]) => ({ add: people.map((one) => one.asSeat()), remove: [] })
const role = (...changes: [Person, boolean][]) => ({
  add: [],
  remove: [],
  moderate: changes.map(([one, moderator]) => ({ seat: one.seat, moderator })),
})

/** Ann moderates; Bea and Cat do not. */
beforeEach(async () => {
  now = Date.UTC(2026, 5, 1, 12)
  relay = makeMemoryRelay({ clock: { now: () => now }, seed: seed++ })
  address = new Seeded(seed++).dice(32) as Address
  ann = await person()
  bea = await person()
  cat = await person()
  await ann.open(address)
  await ann.commit(address, { seats: add(bea, cat) })
  for (const one of [bea, cat]) one.known = (await one.fetch(address)).from
})
afterEach(() => relay.close())

describe('which seats moderate', () => {
  it('[CHN20] [C-04] a commit says it, everybody reads it in the one order, and the chain covers it', async () => {
    expect(await ann.commit(address, { after: 1, seats: role([bea, true]) })).toBe(2)
    const { envelopes, from, last } = await cat.fetch(address)
    expect(envelopes.at(-1)?.seats).toEqual(role([bea, true]))
    let { head } = from
    for (const item of envelopes) head = nextHead(head, item)
    expect(toHex(last.head)).toBe(toHex(head))
    const dan = await person()
    expect(await bea.commit(address, { after: 2, seats: add(dan) })).toBe(3)
    await bea.commit(address, { after: 3, seats: role([bea, false]) })
    const eve = await person()
    const late = bea.commit(address, { after: 4, seats: add(eve) })
    await expect(late).rejects.toMatchObject({ code: 'channel/not-moderator' })
  })

  it('[CHN20] nobody else’s commit does, nor what enters; nothing of it is there', async () => {
    const raised = bea.commit(address, { after: 1, seats: role([bea, true]) })
    await expect(raised).rejects.toMatchObject({ code: 'channel/not-moderator', retryable: false })
    const lowered = bea.commit(address, { after: 1, seats: role([ann, false]) })
    await expect(lowered).rejects.toMatchObject({ code: 'channel/not-moderator' })
    const second = await person()
    second.entry = ann.entry
    const entering = second.enter(address, { after: 1, seats: { ...role([bea, true]), add: [second.asSeat()] } })
    await expect(entering).rejects.toMatchObject({ code: 'channel/not-moderator' })
    expect((await cat.fetch(address)).last.position).toBe(1)
  })

  it('[CHN20] the last one that does keeps it; with a successor in the same commit it goes', async () => {
    const alone = ann.commit(address, { after: 1, seats: role([ann, false]) })
    await expect(alone).rejects.toMatchObject({ code: 'channel/last-moderator', retryable: false })
    expect(await ann.commit(address, { after: 1, seats: role([ann, false], [bea, true]) })).toBe(2)
    await expect(ann.commit(address, { after: 2, seats: role([ann, true]) })).rejects.toMatchObject({
      code: 'channel/not-moderator',
    })
    expect(await bea.commit(address, { after: 2, seats: role([cat, true]) })).toBe(3)
  })

  it('[CHN20] [CHN16] the account’s other devices come in with the rights that it has now', async () => {
    await ann.commit(address, { after: 1, seats: role([bea, true]) })
    const second = await person()
    second.entry = bea.entry
    const seats = { add: [second.asSeat(true)], remove: [] }
    expect(await second.enter(address, { after: 2, seats })).toBe(3)
    await ann.commit(address, { after: 3, seats: role([bea, false], [second, false]) })
    const third = await person()
    third.entry = bea.entry
    const late = third.enter(address, { after: 4, seats: { add: [third.asSeat(true)], remove: [] } })
    await expect(late).rejects.toMatchObject({ code: 'channel/not-moderator' })
  })

  it('[CHN20] [K-07] an account whose seats were expelled does not come back with rights that it lost', async () => {
    await ann.commit(address, { after: 1, seats: role([bea, true]) })
    await bea.caller.call('channel.expel', { ...bea.entryKey(address), seats: [bea.seat] })
    await ann.commit(address, { after: 2, seats: role([bea, false]) })
    const restored = await person()
    restored.entry = bea.entry
    const seats = { add: [restored.asSeat(true)], remove: [bea.seat] }
    await expect(restored.enter(address, { after: 3, seats })).rejects.toMatchObject({ code: 'channel/not-moderator' })
    expect(await restored.enter(address, { after: 3, seats: { add: [restored.asSeat()], remove: [bea.seat] } })).toBe(4)
  })

  it('[CHN20] outlives a restart', async () => {
    await ann.commit(address, { after: 1, seats: role([ann, false], [bea, true]) })
    relay.restart()
    for (const one of [ann, bea]) one.caller = relay.connect(() => {})
    const dan = await person()
    await expect(ann.commit(address, { after: 2, seats: add(dan) })).rejects.toMatchObject({
      code: 'channel/not-moderator',
    })
    expect(await bea.commit(address, { after: 2, seats: add(dan) })).toBe(3)
  })
})
