import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Address } from '#core/wire/ids.ts'
import { LINK_LIFETIME_MS, MAX_LINK_BYTES } from '#core/wire/limits.ts'
import { type Connection, type MemoryRelay, makeMemoryRelay } from '../support/memory-relay.ts'
import { Seeded } from '../support/seeded.ts'

let now = 0
let relay: MemoryRelay
let caller: Connection
let address: Address
const { dice } = new Seeded(77)

const put = (slot: number, bytes: Uint8Array) => caller.call('link.put', { address, slot, bytes })
const get = async (slot: number) => (await caller.call('link.get', { address, slot })).bytes
const stored = () => relay.dump().filter(({ object }) => object.startsWith('RENDEZVOUS'))

beforeEach(() => {
  now = Date.UTC(2026, 5, 1, 12)
  relay = makeMemoryRelay({ clock: { now: () => now }, seed: 77 })
  caller = relay.connect(() => {})
  address = dice(32) as Address
})
afterEach(() => relay.close())

describe('a link’s meeting place', () => {
  it('[LNK1] has eight slots that are written once; the same again is answered the same', async () => {
    expect(await get(0)).toBeUndefined()
    for (let slot = 0; slot < 8; slot++) {
      const bytes = dice(100)
      await put(slot, bytes)
      await put(slot, bytes)
      await expect(put(slot, dice(100))).rejects.toMatchObject({ code: 'link/taken', retryable: false })
      expect(await get(slot)).toEqual(bytes)
    }
    await expect(put(8, dice(1))).rejects.toMatchObject({ code: 'schema/uint' })
    await expect(put(0, dice(MAX_LINK_BYTES + 1))).rejects.toMatchObject({ code: 'schema/bytes' })
  })

  it('[LNK13] is gone a quarter of an hour after its first slot, with everything that said it was there', async () => {
    await put(0, dice(100))
    now += LINK_LIFETIME_MS - 1
    await put(1, dice(100))
    expect(await get(0)).toBeDefined()
    now += 1
    await relay.runAlarms(now)
    expect(stored()).toEqual([])
    expect(relay.nextAlarmMs).toBeUndefined()
  })

  it('[LNK13] is over on time when its alarm is late, across a restart too', async () => {
    const bytes = dice(100)
    await put(0, bytes)
    relay.restart()
    caller = relay.connect(() => {})
    expect(await get(0)).toEqual(bytes)
    now += LINK_LIFETIME_MS
    expect(await get(0)).toBeUndefined()
    expect(stored()).toEqual([])
    await put(0, dice(100)) // whoever comes later begins anew, with a whole quarter of an hour
    await relay.runAlarms(now)
    expect(await get(0)).toBeDefined()
    expect(relay.nextAlarmMs).toBe(now + LINK_LIFETIME_MS)
  })

  it('keeps nothing for who only looks', async () => {
    expect(await get(3)).toBeUndefined()
    expect(stored()).toEqual([])
  })
})
