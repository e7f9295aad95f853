import { describe, expect, it } from 'vitest'
import { meet, say, textsOf } from '../support/sim/meet.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { twin } from '../support/sim/twin.ts'

async function onlyChannel(device: SimDevice): Promise<string> {
  const [id = '', ...more] = await device.channelIds()
  if (more.length > 0) throw new Error(`${device.name} has more than one channel`)
  return id
}

async function states(device: SimDevice, channelId: string): Promise<string[]> {
  return (await device.lines(channelId)).map((line) =>
    line.kind === 'text' ? `${line.author.mine ? 'mine' : 'theirs'} ${line.text} ${line.state}` : line.kind,
  )
}

describe('a second device of an account', () => {
  it('[C-07] [K-06] comes into a channel of the account by itself; both send, receive and see their own as their own', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(81)
    await say(ann, ofAnn, 'before the phone')
    await world.run(10_000)
    const phone = await twin(world, ann, 'phone')
    await world.run(60_000)
    const ofPhone = await onlyChannel(phone)
    expect(await phone.store().get('channels', ofPhone)).toMatchObject({ state: 'open', kind: 'direct', title: 'bea' })
    await say(phone, ofPhone, 'from the phone')
    await say(bea, ofBea, 'from bea')
    await world.run(10_000)
    await say(ann, ofAnn, 'from the laptop')
    await world.run(10_000)
    const texts = ['before the phone', 'from the phone', 'from bea', 'from the laptop']
    expect((await textsOf(bea, ofBea)).sort()).toEqual([...texts].sort())
    const ofOwn = ['mine before the phone delivered', 'mine from the phone delivered', 'theirs from bea delivered']
    for (const [device, id] of [
      [ann, ofAnn],
      [phone, ofPhone],
    ] as const) {
      expect((await states(device, id)).sort()).toEqual([...ofOwn, 'mine from the laptop delivered'].sort())
      expect((await device.face().channels()).find((channel) => channel.id === id)?.unread).toBe(1)
    }
  })
})
