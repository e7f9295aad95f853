import { describe, expect, it } from 'vitest'
import { groupIdOf } from '../support/sim/many-devices.ts'
import { say, textsOf } from '../support/sim/meet.ts'
import { acquaint, identity, personIds } from '../support/sim/people.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { World } from '../support/sim/world.ts'

const PEOPLE = 100
const LOOKED_AT: ReadonlySet<string> = new Set(['channel.stash', 'channel.commit'])

describe('a large group', () => {
  it('[C-01] [C-02] a hundred people come in by one commit, the tree by way of the relay', {
    timeout: 240_000,
  }, async () => {
    const world = await World.make(31)
    const first = await identity(world, 'ann')
    const others: SimDevice[] = []
    for (let i = 0; i < PEOPLE; i++) others.push(await identity(world, `person ${i}`))
    await acquaint(world, first, others)
    await world.run(60_000)
    const asked: string[] = []
    world.onRequest((device, operation) => {
      if (device === first && LOOKED_AT.has(operation)) asked.push(operation)
    })
    const members = await personIds(others)
    const { channelId } = await world.until(first.request('createGroup', { title: 'Everybody', members }), 600_000)
    await say(first, channelId, 'hello all')
    await world.run(60_000)
    expect(asked).toEqual(['channel.stash', 'channel.commit'])
    expect((await first.face().channelDetails(channelId)).members).toHaveLength(PEOPLE + 1)
    for (const other of others) {
      const id = await groupIdOf(other)
      expect(await textsOf(other, id)).toEqual(['hello all'])
      expect((await other.face().channelDetails(id)).members.filter(({ name }) => name !== '')).toHaveLength(PEOPLE + 1)
    }
  })
})
