import { describe, expect, it } from 'vitest'
import { groupIdOf } from '../support/sim/many-devices.ts'
import { say, textsOf } from '../support/sim/meet.ts'
import { circle, personIds } from '../support/sim/people.ts'

describe('a group', () => {
  it('[C-01] [C-02] is made with people by their published key packages, in one commit, while they are away', async () => {
    const { world, first, others } = await circle(11, ['ann', 'bea', 'cid', 'dan'])
    for (const other of others) other.goAway()
    const commits: string[] = []
    world.onRequest((_, operation) => {
      if (operation === 'channel.commit') commits.push(operation)
    })
    const members = await personIds(others)
    const { channelId } = await world.until(first.request('createGroup', { title: 'Walks', members }))
    await say(first, channelId, 'hello all')
    await world.run(5_000)
    expect(commits).toHaveLength(1)
    for (const other of others) other.comeBack()
    await world.run(60_000)
    for (const other of others) {
      const id = await groupIdOf(other)
      expect(await textsOf(other, id)).toEqual(['hello all'])
      await say(other, id, `hello from ${other.name}`)
    }
    await world.run(60_000)
    for (const device of [first, ...others]) {
      const texts = await textsOf(device, await groupIdOf(device))
      expect(texts.sort()).toEqual(['hello all', 'hello from bea', 'hello from cid', 'hello from dan'])
    }
  })
})
