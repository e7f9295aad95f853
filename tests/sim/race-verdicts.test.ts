import { describe, expect, it } from 'vitest'
import { breakingPath, commitForged } from '../support/sim/forged-path.ts'
import { groupIdOf } from '../support/sim/many-devices.ts'
import { say, textsOf } from '../support/sim/meet.ts'
import { viewsOf } from '../support/sim/one-view.ts'
import { circle, personIds } from '../support/sim/people.ts'

const DAY_MS = 24 * 60 * 60 * 1000

async function gather(seed: number, names: readonly string[]) {
  const { world, first, others } = await circle(seed, names)
  const { channelId } = await world.until(
    first.request('createGroup', { title: 'Walks', members: await personIds(others) }),
  )
  await world.run(180_000)
  return { world, first, others, channelId, devices: [first, ...others] }
}

describe('[C-07] a device that was away for sixty days', () => {
  it('comes back by itself into the epoch of the others, and has what was said meanwhile', async () => {
    const { world, first, others, devices } = await gather(511, ['ann', 'ben', 'cid'])
    const [ben, cid] = others
    if (ben === undefined || cid === undefined) throw new Error('unreachable')
    cid.goAway()
    await cid.write(await groupIdOf(cid), 'before I left')
    for (let day = 0; day < 60; day++) {
      await world.run(DAY_MS)
      if (day % 20 === 10) await say(ben, await groupIdOf(ben), `day ${day}`)
      if (day % 20 === 15) await say(first, await groupIdOf(first), `day ${day}`)
    }
    const epoch = async () => JSON.parse([...(await viewsOf([first]))][0] ?? '{}').epoch as number
    expect(await epoch(), 'keys were renewed weekly').toBeGreaterThan(10)
    cid.comeBack()
    await world.run(300_000)
    expect((await viewsOf(devices)).size).toBe(1)
    const days = ['day 10', 'day 15', 'day 30', 'day 35', 'day 50', 'day 55']
    for (const device of devices) {
      const texts = await textsOf(device, await groupIdOf(device))
      expect(
        texts.filter((text) => text.startsWith('day ')),
        device.name,
      ).toEqual(days)
      expect(texts, device.name).toContain('before I left')
    }
  })
})

describe('[MLS15] [C-06] [C-07] an update whose path is good for some members only', () => {
  it('is no void commit: who can’t follow it comes back by itself, and all have one view', async () => {
    const { world, others, devices } = await gather(512, ['ann', 'ben', 'cid', 'dan'])
    const [ben] = others
    if (ben === undefined) throw new Error('unreachable')
    const honest = devices.filter((device) => device !== ben)
    const entered = new Set<string>()
    world.onRequest((device, operation) => {
      if (operation === 'channel.enter') entered.add(device.name)
    })
    await commitForged(world, ben, await groupIdOf(ben), breakingPath(0))
    await world.run(300_000)
    expect(entered.size, 'some could not begin the epoch').toBeGreaterThan(0)
    expect(entered.size, 'and some could').toBeLessThan(honest.length)
    expect((await viewsOf(honest)).size).toBe(1)
    for (const device of honest) await say(device, await groupIdOf(device), `by ${device.name}`)
    await world.run(60_000)
    for (const device of honest) {
      const texts = (await textsOf(device, await groupIdOf(device))).filter((text) => text.startsWith('by '))
      expect(texts.sort(), device.name).toEqual(honest.map(({ name }) => `by ${name}`).sort())
    }
  })
})
