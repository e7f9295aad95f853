import { describe, expect, it } from 'vitest'
import { meet } from '../support/sim/meet.ts'
import { personId } from '../support/sim/people.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { twin } from '../support/sim/twin.ts'

type Word = 'verified' | 'blocked' | 'muted' | 'archived'
const WORDS: readonly Word[] = ['verified', 'blocked', 'muted', 'archived']

async function twoDevices(seed: number) {
  const { world, ann, bea } = await meet(seed)
  const phone = await twin(world, ann, 'phone')
  await world.run(60_000)
  const id = await personId(bea)
  const set = async (device: SimDevice, word: Word, is: boolean): Promise<void> => {
    const [channelId = ''] = await device.channelIds()
    const face = device.face()
    if (word === 'verified') await world.until(face.markVerified(id, is))
    else if (word === 'blocked') await world.until(face.setBlocked(id, is))
    else if (word === 'muted') await world.until(face.setMuted(channelId, is ? {} : false))
    else await world.until(face.setArchived(channelId, is))
  }
  const isAt = async (device: SimDevice, word: Word): Promise<boolean> => {
    const store = device.store()
    const [contact] = await store.list('contacts')
    const [channelId = ''] = await device.channelIds()
    const channel = await store.get('channels', channelId)
    const said = { ...contact?.record, ...channel }
    return said[word]?.is === true
  }
  return { world, ann, phone, set, isAt }
}

describe('[MRG3] [K-11] [M-11] what the person says of somebody or of a conversation', () => {
  it('is taken back from another device than it was said on, both ways', async () => {
    const { world, ann, phone, set, isAt } = await twoDevices(531)
    for (const [one, other] of [
      [ann, phone],
      [phone, ann],
    ] as const) {
      for (const word of WORDS) await set(one, word, true)
      await world.run(60_000)
      for (const word of WORDS) expect(await isAt(other, word), `${word} at ${other.name}`).toBe(true)
      for (const word of WORDS) await set(other, word, false)
      await world.run(60_000)
      for (const word of WORDS) expect(await isAt(one, word), `${word} at ${one.name}`).toBe(false)
    }
  })

  it.each([
    ['who comes back first said the earlier one', 0],
    ['who comes back first said the later one', 1],
  ])('of two that were said apart the later one counts on both: %s', async (_, first) => {
    const { world, ann, phone, set, isAt } = await twoDevices(532)
    const devices = [ann, phone] as const
    for (const is of [true, false]) {
      for (const device of devices) device.goAway()
      for (const word of WORDS) await set(ann, word, !is)
      await world.run(5_000)
      for (const word of WORDS) await set(phone, word, is)
      await world.run(5_000)
      const [before, after] = first === 0 ? [ann, phone] : [phone, ann]
      before.comeBack()
      await world.run(30_000)
      after.comeBack()
      await world.run(60_000)
      for (const device of devices) {
        for (const word of WORDS) expect(await isAt(device, word), `${word} at ${device.name}`).toBe(is)
      }
    }
  })
})
