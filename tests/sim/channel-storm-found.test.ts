import { describe, expect, it } from 'vitest'
import { equalBytes } from '#core/bytes/equal.ts'
import { attempt } from '../support/sim/byzantine.ts'
import { groupIdOf } from '../support/sim/many-devices.ts'
import { say, textsOf } from '../support/sim/meet.ts'
import { viewsOf } from '../support/sim/one-view.ts'
import { circle, personId, personIds } from '../support/sim/people.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { twin } from '../support/sim/twin.ts'
import type { World } from '../support/sim/world.ts'

const RESTART_MS = 400

/** What seeds of the storm found, each by itself. */
async function gather(seed: number, names: readonly string[]) {
  const { world, first, others } = await circle(seed, names)
  const { channelId } = await world.until(
    first.request('createGroup', { title: 'Walks', members: await personIds(others) }),
  )
  await world.run(90_000)
  return { world, first, others, channelId, devices: [first, ...others] }
}

/** And starts again without a connection. */
async function loseState(world: World, device: SimDevice, id: string): Promise<void> {
  device.kill()
  const rows = await device.store().list('epochs', { of: id })
  await device.disk.write(
    rows.map(({ key }) => ({ delete: 'epochs', key }) as const),
    undefined,
  )
  await world.run(RESTART_MS)
  device.goAway()
}

describe('a member who shows a head that never was, and then takes the state away', () => {
  it('[C-06] [FRK2] [I-15] shuts nobody out: where the relay’s story is the own one, whoever repairs goes on with their state', async () => {
    const { world, first, others, channelId, devices } = await gather(401, ['ann', 'ben', 'cid', 'dan'])
    const [liar] = others
    if (liar === undefined) throw new Error('unreachable')
    const honest = devices.filter((device) => device !== liar)
    await attempt(world, liar, await groupIdOf(liar), 'head')
    await world.run(5_000)
    for (const device of honest) {
      const channel = await device.store().get('channels', await groupIdOf(device))
      expect(channel, device.name).toMatchObject({ state: 'paused', pausedBy: 'forked' })
    }
    await attempt(world, liar, await groupIdOf(liar), 'rubbish') // what would let them in is gone with it (BCK5)
    await world.run(5_000)
    for (const device of honest)
      await world.until(device.request('repairChannel', { channelId: await groupIdOf(device) }))
    await world.run(120_000)
    for (const device of honest) {
      expect(await device.store().get('channels', await groupIdOf(device)), device.name).toMatchObject({
        state: 'open',
      })
    }
    await world.until(first.request('removeMember', { channelId, id: await personId(liar) }))
    for (const device of honest) await say(device, await groupIdOf(device), `by ${device.name}`)
    await world.run(60_000)
    expect((await viewsOf(honest)).size).toBe(1)
    for (const device of honest) {
      const texts = (await textsOf(device, await groupIdOf(device))).filter((text) => text.startsWith('by '))
      expect(texts.sort(), device.name).toEqual(honest.map(({ name }) => `by ${name}`).sort())
    }
  })
})

describe('an account that was out and is added again', () => {
  it('[C-07] comes back by the place that it has now, though its device was just coming back by the old one', async () => {
    const { world, first, others, channelId } = await gather(402, ['ann', 'ben', 'cid'])
    const [, cid] = others
    if (cid === undefined) throw new Error('unreachable')
    const ofCid = await groupIdOf(cid)
    cid.goAway()
    await world.until(first.request('removeMember', { channelId, id: await personId(cid) }))
    await world.run(10_000)
    await world.until(first.request('addMembers', { channelId, ids: [await personId(cid)] }))
    await world.run(10_000)
    await loseState(world, cid, ofCid)
    await world.run(60_000)
    cid.comeBack()
    await world.run(120_000)
    const [channel, sync] = [await cid.store().get('channels', ofCid), await cid.store().get('syncs', ofCid)]
    const place = sync?.seats.find(({ seat }) => equalBytes(seat, sync.seat))
    expect(channel?.state).toBe('open')
    expect(channel?.entry?.id).toEqual(place?.entry)
    const second = await twin(world, cid, 'cid 2')
    await world.run(120_000)
    await say(first, channelId, 'to both')
    await world.run(30_000)
    for (const device of [cid, second]) expect(await textsOf(device, await groupIdOf(device))).toContain('to both')
  })
})

describe('whoever leaves', () => {
  it('[M-09] reads of what was not sent yet that it was not', async () => {
    const { world, others } = await gather(403, ['ann', 'ben', 'cid'])
    const [, cid] = others
    if (cid === undefined) throw new Error('unreachable')
    const ofCid = await groupIdOf(cid)
    await loseState(world, cid, ofCid)
    await say(cid, ofCid, 'not sent yet')
    await world.run(2_000)
    await world.until(cid.request('leaveChannel', { channelId: ofCid }))
    const [line] = (await cid.lines(ofCid)).filter(({ kind }) => kind === 'text')
    expect(line).toMatchObject({ text: 'not sent yet', state: 'failed', failure: 'seat/removed' })
  })
})

describe('a device that comes back after somebody has left', () => {
  it('[M-09] [SEAM1] goes on saying that something may be missing: who is gone says nothing again', async () => {
    const { world, first, others, channelId } = await gather(404, ['ann', 'ben', 'cid'])
    const [ben, cid] = others
    if (ben === undefined || cid === undefined) throw new Error('unreachable')
    const ofCid = await groupIdOf(cid)
    await loseState(world, cid, ofCid)
    await say(ben, await groupIdOf(ben), 'my last word')
    await say(first, channelId, 'mine not')
    await world.run(10_000)
    await world.until(first.request('removeMember', { channelId, id: await personId(ben) }))
    await world.run(10_000)
    cid.comeBack()
    await world.run(180_000)
    expect(await textsOf(cid, ofCid)).toContain('mine not')
    const notices = (await cid.lines(ofCid)).flatMap((line) => (line.kind === 'notice' ? [line.notice] : []))
    expect(notices).toEqual(['gap'])
  })
})
