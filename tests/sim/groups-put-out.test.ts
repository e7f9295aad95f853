import { describe, expect, it } from 'vitest'
import { linked } from '../support/sim/link.ts'
import { groupIdOf } from '../support/sim/many-devices.ts'
import { say } from '../support/sim/meet.ts'
import { circle, personId, personIds } from '../support/sim/people.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import type { World } from '../support/sim/world.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** What the relay keeps of who was put out (CHN9, CHN15), and some. */
const FORGOTTEN_MS = 16 * DAY_MS

async function three(seed: number) {
  const { world, first, others } = await circle(seed, ['ann', 'bea', 'cid'])
  const [bea, cid] = others
  if (bea === undefined || cid === undefined) throw new Error('unreachable')
  return { world, first, bea, cid }
}

/** Cid was in the group, and is put out of it: while there, or while away. */
async function putOut(seed: number, { isAway }: { readonly isAway: boolean }) {
  const { world, first, bea, cid } = await three(seed)
  const members = await personIds([bea, cid])
  const { channelId } = await world.until(first.request('createGroup', { title: 'Walks', members }))
  await world.run(60_000)
  const ofCid = await groupIdOf(cid)
  if (isAway) cid.goAway()
  await world.until(first.request('removeMember', { channelId, id: await personId(cid) }))
  await world.run(180_000)
  cid.goAway()
  return { world, first, cid, ofCid }
}

async function walksOf(device: SimDevice) {
  return (await device.face().channels()).find(({ title }) => title === 'Walks')
}

/** How often it asks for a way back in. */
function countAsks(world: World, who: SimDevice): () => number {
  let asks = 0
  world.onRequest((device, operation) => {
    if (device === who && operation === 'channel.state') asks++
  })
  return () => asks
}

describe('a group', () => {
  it('[C-05] [CHN15] whoever was added and put out again while away finds it over, and does not look for a way in for ever', async () => {
    const { world, first, bea, cid } = await three(371)
    const members = await personIds([bea])
    const { channelId } = await world.until(first.request('createGroup', { title: 'Walks', members }))
    await world.run(30_000)
    cid.goAway()
    await world.until(first.request('addMembers', { channelId, ids: [await personId(cid)] }))
    await world.run(30_000)
    await world.until(first.request('removeMember', { channelId, id: await personId(cid) }))
    await world.run(30_000)
    cid.comeBack()
    await world.run(300_000)
    expect(await walksOf(cid)).toMatchObject({ state: 'paused', left: 'removed' })
  })

  it.each([
    ['the next day', DAY_MS],
    ['when the relay has forgotten it', FORGOTTEN_MS],
  ])(
    '[C-05] [M-09] whoever was put out asks at a connect and not on and on, %s, and what they wrote is named as not sent',
    async (_, awayMs) => {
      const { world, cid, ofCid } = await putOut(372, { isAway: false })
      await world.run(awayMs)
      await say(cid, ofCid, 'and I?')
      const asks = countAsks(world, cid)
      cid.comeBack()
      await world.run(2_000)
      expect(await walksOf(cid)).toMatchObject({ state: 'paused', left: 'removed', lastState: 'failed' })
      const atOnce = asks() // for what it wrote too
      await world.run(10 * MINUTE_MS)
      expect(asks()).toBe(atOnce)
    },
  )

  it('[C-05] [M-09] whoever hears of it only when the relay has forgotten it is out after a day', async () => {
    const { world, cid, ofCid } = await putOut(373, { isAway: true })
    await world.run(FORGOTTEN_MS)
    await say(cid, ofCid, 'and I?')
    cid.comeBack()
    await world.run(60 * MINUTE_MS)
    expect(await walksOf(cid), 'another device may have changed the token').toMatchObject({ lastState: 'waiting' })
    await world.run(DAY_MS)
    expect(await walksOf(cid)).toMatchObject({ state: 'paused', left: 'removed', lastState: 'failed' })
    const asks = countAsks(world, cid)
    await world.run(60 * MINUTE_MS)
    expect(asks()).toBe(0)
  })

  it('[C-05] [K-07] whoever was put out long ago can revoke a device, and one that was linked since finds it over', async () => {
    const { world, cid } = await putOut(374, { isAway: false })
    await world.run(FORGOTTEN_MS)
    cid.comeBack()
    await world.run(MINUTE_MS)
    const tablet = await linked(world, cid, 'tablet')
    const phone = await linked(world, cid, 'phone')
    await world.run(2 * DAY_MS)
    expect(await walksOf(tablet)).toMatchObject({ state: 'paused', left: 'removed' })
    const [there] = (await cid.face().devices()).filter(({ name }) => name === 'phone')
    await world.until(cid.request('revokeDevice', { deviceId: there?.id ?? '' }))
    await world.run(5 * MINUTE_MS)
    expect(await cid.store().list('tasks')).toEqual([])
    expect(await phone.face().account()).toEqual({ state: 'revoked' })
  })
})
