import { describe, expect, it } from 'vitest'
import { RelayError } from '#core/errors.ts'
import { groupIdOf } from '../support/sim/many-devices.ts'
import { say, textsOf } from '../support/sim/meet.ts'
import { circle, personId, personIds } from '../support/sim/people.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** Ann has a group with bea, or with both, and from then on the relay has no room for a commit. */
async function fullFor(seed: number, quota: string, { withCid = false } = {}) {
  const { world, first, others } = await circle(seed, ['ann', 'bea', 'cid'])
  const [bea, cid] = others
  if (bea === undefined || cid === undefined) throw new Error('unreachable')
  const members = await personIds(withCid ? [bea, cid] : [bea])
  const { channelId } = await world.until(first.request('createGroup', { title: 'Walks', members }))
  await world.run(60_000)
  let asked = 0
  const isFull = new RelayError(quota, { retryable: true, detail: { waitMs: DAY_MS } })
  first.forge = (operation) => {
    if (operation !== 'channel.commit') return undefined
    asked++
    return isFull
  }
  return { world, first, bea, cid, channelId, ofBea: await groupIdOf(bea), asked: () => asked }
}

const countIn = async (device: SimDevice, id: string) => (await device.face().channelDetails(id)).members.length

describe('a relay that has no room for a commit', () => {
  it('[GRP9] [CHN8] [M-09] of more seats than there can be: whom it would add is let go, and all else goes on', async () => {
    const { world, first, bea, cid, channelId, ofBea, asked } = await fullFor(381, 'quota/seats')
    await world.until(first.request('addMembers', { channelId, ids: [await personId(cid)] }))
    await world.until(first.request('setRole', { channelId, id: await personId(bea), role: 'admin' }))
    await world.run(10_000)
    await say(first, channelId, 'said meanwhile')
    await world.run(MINUTE_MS)
    expect(await textsOf(bea, ofBea)).toEqual(['said meanwhile'])
    const { wanted } = (await first.store().get('syncs', channelId)) ?? {}
    expect(wanted?.some(({ want }) => want === 'person')).toBe(false)
    expect(asked()).toBeLessThan(5)
    first.forge = () => undefined
    await world.until(first.request('setProfile', { channelId, change: { topic: 'on' } }))
    await world.run(MINUTE_MS)
    expect((await bea.face().channelDetails(ofBea)).topic).toBe('on')
  })

  it('[GRP9] [CHN21] [M-09] for a while: what is written goes out, and the commit when there is', async () => {
    const { world, first, bea, cid, channelId, ofBea, asked } = await fullFor(382, 'quota/stash')
    await world.until(first.request('addMembers', { channelId, ids: [await personId(cid)] }))
    await world.run(10_000)
    for (const text of ['one', 'two']) {
      await say(first, channelId, text)
      await world.run(10 * MINUTE_MS)
    }
    expect(await textsOf(bea, ofBea)).toEqual(['one', 'two'])
    expect(asked()).toBe(1)
    first.kill()
    await world.run(10 * MINUTE_MS)
    expect(asked(), 'known after a restart too').toBe(1)
    first.forge = () => undefined
    await world.run(DAY_MS)
    expect(await countIn(bea, ofBea)).toBe(3)
  })

  it('[GRP9] [C-05] [I-06] that puts somebody out: what is written after that waits for it', async () => {
    const { world, first, bea, cid, channelId, ofBea } = await fullFor(383, 'quota/channel', { withCid: true })
    await world.until(first.request('removeMember', { channelId, id: await personId(cid) }))
    await world.run(10_000)
    await say(first, channelId, 'not for cid')
    await world.run(MINUTE_MS)
    expect(await textsOf(cid, await groupIdOf(cid))).toEqual([])
    first.forge = () => undefined
    await world.run(2 * DAY_MS)
    expect(await textsOf(bea, ofBea)).toEqual(['not for cid'])
    expect(await textsOf(cid, await groupIdOf(cid))).toEqual([])
  })

  it('[GRP9] [C-05] [I-06] while somebody is to be put out by the next one: what is written waits for that too', async () => {
    const { world, first, bea, cid, channelId, ofBea } = await fullFor(384, 'quota/stash', { withCid: true })
    await world.until(first.request('setProfile', { channelId, change: { topic: 'the first one' } }))
    await world.run(10_000)
    await say(first, channelId, 'for all')
    await world.run(10_000)
    await world.until(first.request('removeMember', { channelId, id: await personId(cid) }))
    await say(first, channelId, 'not for cid')
    await world.run(MINUTE_MS)
    first.forge = () => undefined
    await world.run(2 * DAY_MS)
    expect(await textsOf(bea, ofBea)).toEqual(['for all', 'not for cid'])
    expect(await textsOf(cid, await groupIdOf(cid))).toEqual(['for all'])
  })
})
