import { describe, expect, it } from 'vitest'
import { groupIdOf } from '../support/sim/many-devices.ts'
import { say, textsOf } from '../support/sim/meet.ts'
import { viewsOf } from '../support/sim/one-view.ts'
import { circle, personId, personIds } from '../support/sim/people.ts'

/** 500 in the long run. */
const ROUNDS = Number(process.env.STAVE_RACE_ROUNDS ?? 3)
const NAMES = ['ann', 'bea', 'cid', 'dan', 'eve', 'fay', 'gil', 'hal']

describe('commits at once', () => {
  it(`[C-03] eight clients commit at the same moment, ${ROUNDS} rounds: one view each time`, {
    timeout: 3_600_000,
  }, async () => {
    const { world, first, others } = await circle(41, NAMES)
    const members = await personIds(others)
    const { channelId } = await world.until(first.request('createGroup', { title: 'Walks', members }))
    await world.run(120_000)
    for (const other of others.slice(0, 3)) {
      await world.until(first.request('setRole', { channelId, id: await personId(other), role: 'owner' }))
    }
    await world.run(30_000)
    const devices = [first, ...others]
    expect((await viewsOf(devices)).size).toBe(1)
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, device] of devices.entries()) {
        const id = await groupIdOf(device)
        const change = { title: `round ${round} by ${device.name}` }
        if (i < 4 && world.random.chance(0.5)) void device.request('setProfile', { channelId: id, change })
        else void device.request('heal', { channelId: id })
        if (world.random.chance(0.2)) await say(device, id, `in round ${round} by ${device.name}`)
      }
      await world.run(30_000)
      expect([...(await viewsOf(devices))], `round ${round}`).toHaveLength(1)
    }
    const [texts = [], ...more] = await Promise.all(devices.map(async (one) => textsOf(one, await groupIdOf(one))))
    expect(texts.length).toBeGreaterThan(0)
    for (const other of more) expect(other).toEqual(texts)
  })
})
