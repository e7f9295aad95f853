import { describe, expect, it } from 'vitest'
import { say, textsOf } from '../support/sim/meet.ts'
import { personId } from '../support/sim/people.ts'
import { addChannel, channelOn, homeOn, membersOn, shownIn, spaceOf } from '../support/sim/spaces.ts'
import { twin } from '../support/sim/twin.ts'

describe('[C-10] [C-07] several devices of one account', () => {
  it('[SPC12] a device that was restored or linked shows the space, and does its part in it', async () => {
    const { world, first, others, home } = await spaceOf(341, ['ann', 'bea', 'cid'])
    const [bea, cid] = others
    if (bea === undefined || cid === undefined) throw new Error('unreachable')
    await addChannel(world, first, home, 'Tools')
    await say(first, (await channelOn(first, 'Tools')).id, 'before')
    await world.run(30_000)
    const [ofBea, ofAnn] = [await twin(world, bea, 'bea 2'), await twin(world, first, 'ann 2')]
    await world.run(180_000)
    for (const device of [ofBea, ofAnn]) {
      expect((await homeOn(device)).title).toBe('Allotment')
      expect(await shownIn(device), device.name).toEqual(['Tools'])
      expect(await membersOn(device, 'Tools')).toEqual(['ann owner', 'bea', 'cid'])
      expect(await textsOf(device, (await channelOn(device, 'Tools')).id)).toEqual(['before'])
    }
    await addChannel(world, ofAnn, (await homeOn(ofAnn)).id, 'Seeds')
    await world.run(60_000)
    for (const device of [first, bea, ofBea, cid, ofAnn])
      expect(await shownIn(device), device.name).toEqual(['Seeds', 'Tools'])
    const id = await personId(cid)
    await world.until(ofAnn.request('removeMember', { channelId: (await homeOn(ofAnn)).id, id }))
    await world.run(60_000)
    for (const title of ['Allotment', 'Tools', 'Seeds'])
      expect(await membersOn(bea, title)).toEqual(['ann owner', 'bea'])

    await world.until(ofBea.request('leaveChannel', { channelId: (await homeOn(ofBea)).id }))
    await world.run(90_000)
    for (const device of [bea, ofBea])
      for (const title of ['Allotment', 'Tools', 'Seeds'])
        expect((await channelOn(device, title)).left, device.name).toBe('left')
    for (const title of ['Allotment', 'Tools', 'Seeds']) expect(await membersOn(first, title)).toEqual(['ann owner'])
  })
})
