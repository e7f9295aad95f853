import { describe, expect, it } from 'vitest'
import { World } from '../support/sim/world.ts'

describe('two devices', () => {
  it('[C-12] [M-10] meet by an invitation and talk both ways, to delivered', async () => {
    const world = await World.make(1)
    const [a, b] = [await world.device('a'), await world.device('b')]
    for (const device of [a, b]) {
      await world.until(
        device.request('createIdentity', {
          name: device.name,
          deviceName: `laptop of ${device.name}`,
          deviceKind: 'web',
        }),
      )
    }
    const { id } = await world.until(a.request('createInvitation', null))
    const link = (await a.store().get('invitations', id))?.link ?? ''
    const { channelId } = await world.until(b.request('acceptInvitation', { link }))
    await b.write(channelId, 'hello')
    await b.request('wake', null)
    await world.run(60_000)
    const [ofA = ''] = await a.channelIds()
    expect((await a.lines(ofA)).map((line) => line.kind === 'text' && line.text)).toEqual(['hello'])
    await a.write(ofA, 'hello yourself')
    await a.request('wake', null)
    await world.run(60_000)
    const lines = await b.lines(channelId)
    expect(lines.map((line) => line.kind === 'text' && [line.text, line.author.name, line.state])).toEqual([
      ['hello', '', 'delivered'],
      ['hello yourself', 'a', 'delivered'],
    ])
  })
})
