import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Address } from '#core/wire/ids.ts'
import { MAX_STASH_BYTES, MAX_STASH_PIECES } from '#core/wire/limits.ts'
import type { ArgsOf } from '#core/wire/operations.ts'
import { ENTRY_STASH_PIECES } from '../../worker/rules/quota.ts'
import { type MemoryRelay, makeMemoryRelay } from '../support/memory-relay.ts'
import { envelopeTo, Person } from '../support/relay/person.ts'
import { Seeded } from '../support/seeded.ts'

const DAY_MS = 86_400_000
type Name = ArgsOf<'channel.stash'>['stash']
let now = 0
let seed = 70_000
let relay: MemoryRelay
let address: Address
let ann: Person
let bea: Person
let name: Name

async function person(): Promise<Person> {
  return new Person(
    relay.connect(() => {}),
    seed++,
  ).arrive()
}

const piece = (n: number, bytes = 100) => new Uint8Array(bytes).fill(n + 1)
const put = (by: Person, n: number, bytes = piece(n), stash = name) =>
  by.caller.call('channel.stash', { ...by.key(address), stash, n, bytes })
const get = async (by: Person, n: number, stash = name.id) =>
  (await by.caller.call('channel.unstash', { ...by.key(address), stash, n })).bytes
const stored = () => relay.dump().find(({ table }) => table === 'stash')?.rows.length ?? 0

async function days(count: number): Promise<void> {
  for (let day = 0; day < count; day++) {
    now += DAY_MS
    await relay.runAlarms(now)
    await relay.idle()
  }
}

beforeEach(async () => {
  now = Date.UTC(2026, 5, 1, 12)
  relay = makeMemoryRelay({ clock: { now: () => now }, seed: seed++ })
  const { dice } = new Seeded(seed++)
  address = dice(32) as Address
  name = { id: dice(16), pieces: 2 }
  ann = await person()
  bea = await person()
  await ann.open(address)
  await ann.commit(address, { seats: { add: [bea.asSeat()], remove: [] } })
  await ann.ack(address, 1)
  await bea.ack(address, 1)
})
afterEach(() => relay.close())

describe('a stash', () => {
  it('[CHN21] [C-01] gives whoever a commit added the tree, piece by piece', async () => {
    await put(ann, 0)
    await put(ann, 1)
    const cat = await person()
    await ann.commit(address, { after: 1, seats: { add: [cat.asSeat()], remove: [] }, stash: name })
    expect(await get(cat, 0)).toEqual(piece(0))
    expect(await get(cat, 1)).toEqual(piece(1))
    expect(await get(cat, 2)).toBeUndefined()
    expect(await get(cat, 0, new Uint8Array(16))).toBeUndefined()
  })

  it('[CHN21] a commit that names one that is not whole is refused, and leaves nothing', async () => {
    const cat = await person()
    const commit = () => ann.commit(address, { after: 1, seats: { add: [cat.asSeat()], remove: [] }, stash: name })
    await expect(commit()).rejects.toMatchObject({ code: 'stash/incomplete', retryable: false })
    await put(ann, 1)
    await expect(commit()).rejects.toMatchObject({ code: 'stash/incomplete' })
    await expect(cat.fetch(address)).rejects.toMatchObject({ code: 'seat/refused' })
    const none = ann.commit(address, { after: 1, stash: { id: name.id, pieces: 0 } })
    await expect(none).rejects.toMatchObject({ code: 'stash/incomplete' })
    await put(ann, 0)
    expect(await commit()).toBe(2)
  })

  it('[CHN21] a piece is written once; again is the same, other bytes or another length are refused', async () => {
    await put(ann, 0)
    await put(ann, 0)
    await expect(put(ann, 0, piece(5))).rejects.toMatchObject({ code: 'stash/taken' })
    await expect(put(bea, 0, piece(5)), 'also to somebody else').rejects.toMatchObject({ code: 'stash/taken' })
    await expect(put(ann, 1, piece(1), { ...name, pieces: 3 })).rejects.toMatchObject({ code: 'stash/taken' })
    await expect(put(ann, 2)).rejects.toMatchObject({ code: 'stash/piece' })
    await expect(put(ann, MAX_STASH_PIECES)).rejects.toMatchObject({ code: 'schema/uint' })
    await expect(put(ann, 1, piece(1, MAX_STASH_BYTES + 1))).rejects.toMatchObject({ code: 'schema/bytes' })
    expect(stored()).toBe(1)
  })

  it('[CHN1] is for who has a living seat', async () => {
    await put(ann, 0)
    const cat = await person()
    await expect(put(cat, 1)).rejects.toMatchObject({ code: 'seat/refused' })
    await expect(get(cat, 0)).rejects.toMatchObject({ code: 'seat/refused' })
    await ann.commit(address, { after: 1, seats: { add: [], remove: [bea.seat] } })
    await expect(get(bea, 0)).rejects.toMatchObject({ code: 'seat/removed' })
    await expect(put(bea, 1)).rejects.toMatchObject({ code: 'seat/removed' })
  })

  it('[CHN21] [T-05] goes after a day, or a fortnight after a commit named it; then nothing wakes the channel', async () => {
    const other = { id: new Uint8Array(16).fill(9), pieces: 1 }
    await put(ann, 0, piece(0), other)
    await put(ann, 0)
    await put(ann, 1)
    await ann.commit(address, { after: 1, stash: name })
    for (const one of [ann, bea]) await one.ack(address, 2)
    await days(1)
    expect(stored(), 'a day is never cut short').toBe(3)
    await days(2)
    expect(await get(bea, 0, other.id)).toBeUndefined()
    await days(11)
    expect(await get(bea, 0)).toEqual(piece(0))
    await days(3)
    expect(stored()).toBe(0)
    expect(relay.nextAlarmMs).toBeUndefined()
  })

  it('[R-02] one account fills no more than its share with what no commit names', async () => {
    const stashes = [1, 2, 3].map((fill) => ({ id: new Uint8Array(16).fill(fill), pieces: MAX_STASH_PIECES }))
    const [first, second, third] = stashes
    for (const stash of [first, second]) {
      for (let n = 0; n < MAX_STASH_PIECES; n++) await put(bea, n, piece(n, MAX_STASH_BYTES), stash)
    }
    const refused = { code: 'quota/stash', retryable: true, detail: { waitMs: DAY_MS } }
    await expect(put(bea, 0, piece(0), third)).rejects.toMatchObject(refused)
    await put(ann, 0)
    await put(ann, 1)
    expect(await ann.commit(address, { after: 1, stash: name })).toBe(2)
    await days(3)
    await put(bea, 0, piece(0), third)
  })

  it('[CHN21] [R-02] pieces with nothing in them are counted too, and a commit or the end of a state gives them back', async () => {
    const nothing = new Uint8Array()
    const stashes = Array.from({ length: ENTRY_STASH_PIECES / MAX_STASH_PIECES }, (_, i) => ({
      id: new Uint8Array(16).fill(100 + i),
      pieces: MAX_STASH_PIECES,
    }))
    for (const stash of stashes) for (let n = 0; n < MAX_STASH_PIECES; n++) await put(ann, n, nothing, stash)
    const refused = { code: 'quota/stash', retryable: true, detail: { waitMs: DAY_MS } }
    await expect(put(ann, 0, nothing)).rejects.toMatchObject(refused)
    relay.restart()
    for (const one of [ann, bea]) one.caller = relay.connect(() => {})
    await expect(put(ann, 0, nothing), 'a restart forgets nothing').rejects.toMatchObject(refused)
    await put(bea, 0, nothing)
    await put(bea, 1, nothing)

    const [first = name, second = name] = stashes
    await ann.commit(address, { after: 1, stash: first })
    await ann.commit(address, { after: 2, stash: first })
    const third = { id: new Uint8Array(16).fill(3), pieces: MAX_STASH_PIECES }
    for (let n = 0; n < MAX_STASH_PIECES; n++) await put(ann, n, nothing, third)
    await expect(put(ann, 0, nothing, { ...third, id: piece(8, 16) })).rejects.toMatchObject(refused)

    await bea.caller.call('channel.ask', bea.entryKey(address))
    const sealed = { info: nothing, boxes: [{ entry: bea.entry.id, box: piece(1) }] }
    await ann.caller.call('channel.answer', { ...ann.key(address), after: 3, state: sealed, stash: second })
    await expect(put(ann, 0, nothing, { ...third, id: piece(8, 16) }), 'it stays').rejects.toMatchObject(refused)
    await ann.commit(address, { after: 3 })
    for (let n = 0; n < MAX_STASH_PIECES; n++) await put(ann, n, nothing, { ...third, id: piece(8, 16) })
    await expect(put(ann, 0, nothing, { ...third, id: piece(9, 16) })).rejects.toMatchObject(refused)
    await days(3)
    await put(ann, 0, nothing)
  })

  it('[CHN22] [C-11] a post names a whole one of its own account: it stays a fortnight, and says so when it is not whole', async () => {
    const says = async (by: Person, stash = name) => {
      const posts = [{ id: by.id(), commits: 1, envelope: envelopeTo(address), stash }]
      const { results } = await by.caller.call('channel.post', { ...by.key(address), known: ann.known, posts })
      return results[0]
    }
    await put(ann, 0)
    expect(await says(ann)).toMatchObject({ outcome: 'incomplete', position: 1 })
    await put(ann, 1)
    expect(await says(bea), 'it is not of that account').toMatchObject({ outcome: 'incomplete' })
    expect((await ann.fetch(address)).last.position, 'nothing of these was ordered').toBe(1)
    expect(await says(ann)).toMatchObject({ outcome: 'ordered', position: 2 })
    for (const one of [ann, bea]) await one.ack(address, 2)
    await days(14)
    expect(await get(bea, 1)).toEqual(piece(1))
    await days(3)
    expect(stored()).toBe(0)
  })

  it('[CHN22] what is beside it in a request is ordered; what a commit named is not taken to be of a post', async () => {
    await put(bea, 0)
    const [whole, other] = [bea.id(), bea.id()]
    const envelope = envelopeTo(address)
    const posts = [
      { id: whole, commits: 1, envelope, stash: name },
      { id: other, commits: 1, envelope },
    ]
    const ask = { ...bea.key(address), known: ann.known, posts }
    const first = (await bea.caller.call('channel.post', ask)).results
    expect(first.map(({ outcome }) => outcome)).toEqual(['incomplete', 'ordered'])
    await put(bea, 1)
    const again = (await bea.caller.call('channel.post', ask)).results
    expect(again.map(({ outcome, position }) => `${outcome} ${position}`)).toEqual(['ordered 3', 'ordered 2'])
    expect(await ann.commit(address, { after: 1, stash: name })).toBe(4)
    const more = [{ id: bea.id(), commits: 2, envelope, stash: name }]
    await bea.caller.call('channel.post', { ...ask, posts: more })
    // Else it would count as bea's own share once more.
    const [row] = relay.dump().find(({ table }) => table === 'stash')?.rows ?? []
    expect(row?.[5], 'named').toBe(1)
  })

  it("[CHN22] [R-02] what posts name is still of its account's share", async () => {
    const stashes = [1, 2].map((fill) => ({ id: new Uint8Array(16).fill(fill), pieces: MAX_STASH_PIECES }))
    for (const stash of stashes) {
      for (let n = 0; n < MAX_STASH_PIECES; n++) await put(bea, n, piece(n, MAX_STASH_BYTES), stash)
      const posts = [{ id: bea.id(), commits: 1, envelope: envelopeTo(address), stash }]
      const ask = { ...bea.key(address), known: ann.known, posts }
      expect((await bea.caller.call('channel.post', ask)).results[0]?.outcome).toBe('ordered')
    }
    await days(3)
    await expect(put(bea, 0)).rejects.toMatchObject({ code: 'quota/stash' })
  })

  it('[R-05] outlives a restart', async () => {
    await put(ann, 0)
    relay.restart()
    ann.caller = relay.connect(() => {})
    await put(ann, 1)
    expect(await ann.commit(address, { after: 1, stash: name })).toBe(2)
    expect(await get(ann, 0)).toEqual(piece(0))
  })
})
