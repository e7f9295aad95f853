import { describe, expect, it } from 'vitest'
import { envelopeTo } from '../support/relay/person.ts'
import { invite, meet, say, textsOf } from '../support/sim/meet.ts'
import { watchNonces } from '../support/sim/nonce-checker.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { FOUL } from '../support/sim/sim-relay.ts'
import { twin } from '../support/sim/twin.ts'
import type { World } from '../support/sim/world.ts'

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

async function joinGroup(world: World, maker: SimDevice, other: SimDevice, into?: string): Promise<string> {
  const link = await invite(world, other)
  const group = into === undefined ? { group: { title: 'Garden' } } : { into }
  const { channelId } = await world.until(maker.request('acceptInvitation', { link, ...group }))
  await world.run(60_000)
  return channelId
}

async function groupOf(device: SimDevice): Promise<string> {
  const group = (await device.face().channels()).find(({ kind }) => kind === 'group')
  if (group === undefined) throw new Error(`${device.name} has no group`)
  return group.id
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

  it('[C-07] comes into a group of three accounts, and two at once both get in', async () => {
    const { world, ann, bea } = await meet(82)
    const cid = await world.device('cid')
    await world.until(cid.request('createIdentity', { name: 'cid', deviceName: 'laptop', deviceKind: 'web' }))
    const group = await joinGroup(world, ann, bea)
    await joinGroup(world, ann, cid, group)
    const phones = await Promise.all([twin(world, bea, 'phone of bea'), twin(world, cid, 'phone of cid')])
    await world.run(120_000)
    const devices = [ann, bea, cid, ...phones]
    for (const device of devices) await say(device, await groupOf(device), `by ${device.name}`)
    await world.run(30_000)
    const expected = devices.map(({ name }) => `by ${name}`).sort()
    for (const device of devices) {
      const id = await groupOf(device)
      expect(await device.store().get('channels', id)).toMatchObject({ state: 'open', title: 'Garden' })
      expect((await textsOf(device, id)).sort()).toEqual(expected)
    }
    const sync = async (device: SimDevice) => device.store().get('syncs', await groupOf(device))
    const [first, ...others] = await Promise.all(devices.map(sync))
    for (const other of others) expect(other?.seats).toEqual(first?.seats)
    expect(first?.seats.filter(({ moderator }) => moderator)).toHaveLength(1)
  })

  it('[C-07] gets from the others what was sent before it came in and its log has not, and says so until then', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(83)
    await say(ann, ofAnn, 'on the log')
    await world.run(10_000)
    ann.goAway()
    await say(bea, ofBea, 'while ann was away')
    await say(bea, ofBea, 'and this')
    await world.run(10_000)
    bea.goAway()
    const phone = await twin(world, ann, 'phone')
    await world.run(60_000)
    const ofPhone = await onlyChannel(phone)
    expect(await textsOf(phone, ofPhone)).toEqual(['on the log', 'notice line'])
    bea.comeBack()
    await world.run(30_000)
    const all = ['on the log', 'while ann was away', 'and this']
    expect(await textsOf(phone, ofPhone)).toEqual(all)
    ann.comeBack()
    await world.run(30_000)
    expect(await textsOf(ann, ofAnn)).toEqual(all)
    expect(await textsOf(bea, ofBea)).toEqual(all)
  })
})

describe('a device whose state is broken', () => {
  it('[C-07] that lost it comes back by itself, and has what was said meanwhile', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(84)
    await say(ann, ofAnn, 'first')
    await world.run(10_000)
    bea.kill()
    const store = bea.store()
    await store.takeOver()
    const rows = await store.list('epochs', { of: ofBea })
    await store.write(rows.map(({ key }) => ({ delete: 'epochs', key }) as const))
    await say(ann, ofAnn, 'into the dark')
    await world.run(60_000)
    await say(bea, ofBea, 'here again')
    await world.run(30_000)
    for (const [device, id] of [
      [ann, ofAnn],
      [bea, ofBea],
    ] as const) {
      expect(await textsOf(device, id)).toEqual(['first', 'into the dark', 'here again'])
    }
    expect((await ann.store().get('syncs', ofAnn))?.seats).toEqual((await bea.store().get('syncs', ofBea))?.seats)
  })

  it('[C-04] [C-07] that a void commit put out of its seat comes in again', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(85)
    const sync = await bea.store().get('syncs', ofBea)
    const ofVictim = await ann.store().get('syncs', ofAnn)
    if (sync === undefined || ofVictim === undefined) throw new Error('no channel')
    const { address, seat, token, cursor, head, lastCommit } = sync
    const seats = { add: [], remove: [ofVictim.seat] }
    const rubbish = { id: world.random.dice(16) as never, after: lastCommit, envelope: envelopeTo(address), seats }
    const known = { position: cursor, head }
    await world.relay
      .connect(() => {})
      .call('channel.commit', { address, seat, token, known, ...rubbish, welcomes: [] })
    await world.run(120_000)
    await say(ann, ofAnn, 'still here')
    await say(bea, ofBea, 'good')
    await world.run(30_000)
    expect((await textsOf(ann, ofAnn)).sort()).toEqual(['good', 'still here'])
    expect((await textsOf(bea, ofBea)).sort()).toEqual(['good', 'still here'])
    const now = await ann.store().get('syncs', ofAnn)
    expect(now?.seat).not.toEqual(ofVictim.seat)
    expect(now?.seats).toEqual((await bea.store().get('syncs', ofBea))?.seats)
  })

  it('[I-04] [I-05] comes back whichever write it crashes at', async () => {
    for (let n = 1; n <= 12; n++) {
      const { world, ann, bea, ofAnn, ofBea } = await meet(8600 + n)
      const nonces = watchNonces(world)
      bea.kill()
      const store = bea.store()
      await store.takeOver()
      const rows = await store.list('epochs', { of: ofBea })
      await store.write(rows.map(({ key }) => ({ delete: 'epochs', key }) as const))
      bea.crashAt(n, n % 2 === 0 ? 'before' : 'after')
      world.weather = FOUL
      await say(ann, ofAnn, 'into the dark')
      await bea.write(ofBea, 'waiting')
      await world.run(200_000)
      expect((await textsOf(bea, ofBea)).sort(), `write ${n}`).toEqual(['into the dark', 'waiting'])
      expect((await textsOf(ann, ofAnn)).sort(), `write ${n}`).toEqual(['into the dark', 'waiting'])
      expect(await nonces.reused()).toEqual([])
    }
  }, 120_000)
})
