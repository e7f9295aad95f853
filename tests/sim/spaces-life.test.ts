import { describe, expect, it } from 'vitest'
import { say, textsOf } from '../support/sim/meet.ts'

import { channelOn, homeOn, membersOn, shownIn, spaceOf } from '../support/sim/spaces.ts'

describe('[C-10] a space', () => {
  it('[SPC1] [SPC10] is made, has channels with all of its members in them, and they talk there', async () => {
    const { world, first, others, home } = await spaceOf(301, ['ann', 'bea', 'cid'])
    for (const device of [first, ...others]) expect((await homeOn(device)).title).toBe('Allotment')
    const { channelId } = await world.until(first.request('addToSpace', { spaceId: home, title: 'Tools' }))
    await say(first, channelId, 'who has a spade?')
    await world.run(60_000)
    for (const device of [first, ...others]) {
      expect(await shownIn(device), device.name).toEqual(['Tools'])
      expect(await membersOn(device, 'Tools')).toEqual(['ann owner', 'bea', 'cid'])
      const { id } = await channelOn(device, 'Tools')
      expect(await textsOf(device, id)).toEqual(['who has a spade?'])
    }
  })
})
