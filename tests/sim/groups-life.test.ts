import { describe, expect, it } from 'vitest'
import { toHex } from '#core/bytes/hex.ts'
import { RelayError } from '#core/errors.ts'
import type { ArgsOf } from '#core/wire/operations.ts'
import { groupIdOf } from '../support/sim/many-devices.ts'
import { invite, say, textsOf } from '../support/sim/meet.ts'
import { circle, identity, personId, personIds } from '../support/sim/people.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { twin } from '../support/sim/twin.ts'

const busy = new RelayError('relay/busy', { retryable: true })
const PICTURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 1, 2, 3)

async function detailsOf(device: SimDevice) {
  return device.face().channelDetails(await groupIdOf(device))
}

async function viewOf(device: SimDevice, channelId: string) {
  return (await device.face().channels()).find(({ id }) => id === channelId)
}

async function gather(seed: number, names: readonly string[]) {
  const { world, first, others } = await circle(seed, names)
  const members = await personIds(others)
  const { channelId } = await world.until(first.request('createGroup', { title: 'Walks', members }))
  await world.run(90_000)
  for (const other of others) {
    const { request } = await detailsOf(other)
    expect(request).toBeUndefined()
  }
  return { world, first, others, channelId, members }
}

describe('a group over time', () => {
  it('[C-13] has one profile at all its members, changed by owners and admins alone', async () => {
    const { world, first, others, channelId } = await gather(21, ['ann', 'bea', 'cid'])
    const [bea] = others
    if (bea === undefined) throw new Error('unreachable')
    const change = { title: 'Long walks', topic: 'On Sundays', avatar: PICTURE, timerMs: 60_000 }
    await world.until(first.request('setProfile', { channelId, change }))
    await world.run(30_000)
    for (const device of [first, ...others]) {
      const { title, topic, avatar, timerMs } = await detailsOf(device)
      expect([title, topic, toHex(avatar ?? new Uint8Array()), timerMs]).toEqual([
        'Long walks',
        'On Sundays',
        toHex(PICTURE),
        60_000,
      ])
      expect((await device.face().channels()).map((channel) => channel.title)).toContain('Long walks')
    }
    const id = await groupIdOf(bea)
    await expect(world.until(bea.request('setProfile', { channelId: id, change: { topic: 'mine' } }))).rejects.toThrow(
      'group/not-allowed',
    )
  })

  it('[C-04] gives and takes roles; who is made an admin can add and remove, and no longer once it is taken back', async () => {
    const { world, first, others, channelId } = await gather(22, ['ann', 'bea', 'cid'])
    const [bea, cid] = others
    if (bea === undefined || cid === undefined) throw new Error('unreachable')
    const ofBea = await groupIdOf(bea)
    await world.until(first.request('setRole', { channelId, id: await personId(bea), role: 'admin' }))
    await world.run(30_000)
    expect((await detailsOf(cid)).members.map(({ role }) => role).sort()).toEqual(['admin', 'member', 'owner'])
    expect((await detailsOf(bea)).can).toMatchObject({ add: true, profile: true, roles: false })
    await world.until(bea.request('setProfile', { channelId: ofBea, change: { topic: 'by an admin' } }))
    await world.run(30_000)
    expect((await detailsOf(first)).topic).toBe('by an admin')

    await world.until(first.request('setRole', { channelId, id: await personId(bea), role: 'member' }))
    await world.run(30_000)
    expect((await detailsOf(bea)).can).toMatchObject({ add: false, profile: false })
    const own = { channelId, id: await personId(first), role: 'member' } as const
    await expect(world.until(first.request('setRole', own))).rejects.toThrow('channel/last-owner')
  })

  it('[C-05] [I-06] whoever is removed hears nothing from then on, and the others go on', async () => {
    const { world, first, others, channelId } = await gather(23, ['ann', 'bea', 'cid'])
    const [bea, cid] = others
    if (bea === undefined || cid === undefined) throw new Error('unreachable')
    const ofCid = await groupIdOf(cid)
    await say(first, channelId, 'before')
    await world.run(30_000)
    await world.until(first.request('removeMember', { channelId, id: await personId(cid) }))
    await say(first, channelId, 'after')
    await world.run(10_000)
    await say(bea, await groupIdOf(bea), 'indeed')
    expect(await viewOf(cid, ofCid), 'heard without asking').toMatchObject({ left: 'removed' })
    await say(cid, ofCid, 'and I?')
    await world.run(10_000)
    // What is written waits while a commit that was void for the others may have done it (CHN15).
    expect(await viewOf(cid, ofCid)).toMatchObject({ left: 'removed', lastState: 'waiting' })
    await world.run(300_000)
    expect(await textsOf(bea, await groupIdOf(bea))).toEqual(['before', 'after', 'indeed'])
    expect(await textsOf(first, channelId)).toEqual(['before', 'after', 'indeed'])
    expect(await textsOf(cid, ofCid)).toEqual(['before', 'and I?'])
    expect(await viewOf(cid, ofCid)).toMatchObject({ left: 'removed', lastState: 'failed' })
    expect((await detailsOf(first)).members).toHaveLength(2)

    await world.until(first.request('addMembers', { channelId, ids: [await personId(cid)] }))
    await say(first, channelId, 'welcome back')
    await world.run(60_000)
    expect(await groupIdOf(cid), 'the same conversation').toBe(ofCid)
    expect(await textsOf(cid, ofCid)).toEqual(['before', 'welcome back', 'and I?'])
  })

  it('[C-05] whoever leaves is gone at once, and their leaf with the next commit of one who may; the last owner hands over first', async () => {
    const { world, first, others, channelId } = await gather(24, ['ann', 'bea', 'cid'])
    const [bea, cid] = others
    if (bea === undefined || cid === undefined) throw new Error('unreachable')
    await say(first, channelId, 'before')
    await world.run(30_000)
    await expect(world.until(first.request('leaveChannel', { channelId }))).rejects.toThrow('channel/last-owner')
    const ofCid = await groupIdOf(cid)
    await world.until(cid.request('leaveChannel', { channelId: ofCid }))
    await world.run(60_000)
    expect((await detailsOf(first)).members.map(({ name }) => name)).toEqual(['ann', 'bea'])
    expect(await viewOf(cid, ofCid)).toMatchObject({ left: 'left' })
    expect(await textsOf(cid, ofCid)).toEqual(['before'])
    for (const table of ['nodes', 'epochs', 'ratchets'] as const)
      expect(await cid.store().list(table, { of: ofCid })).toEqual([])

    await world.until(first.request('setRole', { channelId, id: await personId(bea), role: 'owner' }))
    await world.run(30_000)
    await world.until(first.request('leaveChannel', { channelId }))
    await say(bea, await groupIdOf(bea), 'alone')
    await world.run(60_000)
    expect((await detailsOf(bea)).members.map(({ name }) => name)).toEqual(['bea'])
  })

  it('[C-07] an account with two devices comes in with both, and leaves with both', async () => {
    const { world, first, others } = await circle(26, ['ann', 'bea'])
    const [bea] = others
    if (bea === undefined) throw new Error('unreachable')
    const second = await twin(world, bea, 'bea 2')
    await world.run(90_000)
    const members = [await personId(bea)]
    const { channelId } = await world.until(first.request('createGroup', { title: 'Walks', members }))
    await say(first, channelId, 'hello both')
    await world.run(120_000)
    expect((await detailsOf(first)).members.map(({ devices }) => devices)).toEqual([1, 2])
    for (const device of [bea, second]) {
      const id = await groupIdOf(device)
      expect(await textsOf(device, id)).toEqual(['hello both'])
      await say(device, id, `from ${device.name}`)
    }
    await world.run(60_000)
    expect((await textsOf(first, channelId)).sort()).toEqual(['from bea', 'from bea 2', 'hello both'])
    await world.until(second.request('leaveChannel', { channelId: await groupIdOf(second) }))
    await world.run(60_000)
    for (const device of [bea, second]) {
      const view = (await device.face().channels()).find(({ kind }) => kind === 'group')
      expect(view, device.name).toMatchObject({ left: 'left' })
    }
    expect((await detailsOf(first)).members).toHaveLength(1)

    await world.until(first.request('addMembers', { channelId, ids: members }))
    await say(first, channelId, 'again')
    await world.run(120_000)
    for (const device of [bea, second]) {
      expect((await textsOf(device, await groupIdOf(device))).at(-1), device.name).toBe('again')
    }
    expect((await detailsOf(first)).members.map(({ devices }) => devices)).toEqual([1, 2])
  })

  it('[C-07] [C-13] a device that is linked later sees who everybody is and what the group is called', async () => {
    const { world, first, others, channelId } = await gather(27, ['ann', 'bea', 'cid'])
    const [bea] = others
    if (bea === undefined) throw new Error('unreachable')
    await world.until(first.request('setProfile', { channelId, change: { topic: 'On Sundays' } }))
    await world.run(30_000)
    const second = await twin(world, bea, 'bea 2')
    await world.run(120_000)
    const { title, topic, members, myRole } = await detailsOf(second)
    expect({ title, topic, myRole }).toEqual({ title: 'Walks', topic: 'On Sundays', myRole: 'member' })
    expect(members.map(({ name, role, devices }) => [name, role, devices])).toEqual([
      ['bea', 'member', 2],
      ['ann', 'owner', 1],
      ['cid', 'member', 1],
    ])
  })

  it('[M-11] somebody unknown who adds this account asks: nothing leaves before it is accepted, and no word if it is declined', async () => {
    const { world, first, others } = await circle(25, ['ann', 'bea'])
    const [bea] = others
    const cid = await identity(world, 'cid')
    if (bea === undefined) throw new Error('unreachable')
    await world.until(first.request('acceptInvitation', { link: await invite(world, cid) }))
    await world.run(60_000)
    await forgetContacts(cid) // ann knows cid, who does not know ann any more
    const asked: string[] = []
    world.onRequest((device, operation) => {
      if (device === cid && ['channel.post', 'channel.commit', 'channel.ack'].includes(operation)) asked.push(operation)
    })
    const members = [await personId(bea), await personId(cid)]
    const { channelId } = await world.until(first.request('createGroup', { title: 'Walks', members }))
    await say(first, channelId, 'hello')
    await world.run(90_000)
    const details = await detailsOf(cid)
    expect(details.request).toEqual({ from: await personId(first), name: 'ann' })
    await world.run(60_000)
    expect(asked).toEqual([])

    cid.goAway()
    for (const text of ['are you', 'there?']) await say(first, channelId, text)
    await world.run(10_000)
    const relay = world.relay.connect(() => {})
    const { address, cursor } = (await cid.store().get('syncs', details.id)) ?? {}
    const firstOf = async (args: ArgsOf<'channel.fetch'>) => {
      const reply = await relay.call('channel.fetch', args)
      return { ...reply, envelopes: reply.envelopes.slice(0, 1) }
    }
    cid.forge = (operation, args) => {
      if (operation !== 'channel.fetch') return undefined
      const from = args as ArgsOf<'channel.fetch'>
      if (from.address.join() !== address?.join()) return undefined
      return from.after === cursor ? firstOf(from) : busy
    }
    cid.comeBack()
    await world.run(30_000)
    expect(await textsOf(cid, details.id)).toEqual(['hello', 'are you'])
    cid.forge = () => undefined
    await world.run(90_000)
    expect(await textsOf(cid, details.id)).toEqual(['hello', 'are you', 'there?'])
    expect(asked).toEqual([])
    await world.until(cid.request('acceptRequest', { channelId: details.id }))
    await say(cid, details.id, 'gladly')
    await world.run(60_000)
    expect(await textsOf(bea, await groupIdOf(bea))).toEqual(['hello', 'are you', 'there?', 'gladly'])
    const named = (await bea.lines(await groupIdOf(bea))).map((line) => line.author.name)
    expect(named).toEqual(['ann', 'ann', 'ann', 'cid'])

    await forgetContacts(cid)
    const another = { title: 'Runs', members: [await personId(cid)] }
    const { channelId: declined } = await world.until(first.request('createGroup', another))
    await world.run(60_000)
    const runs = (await cid.face().channels()).find(({ title }) => title === 'Runs')
    asked.length = 0
    await world.until(cid.request('declineRequest', { channelId: runs?.id ?? '' }))
    await world.run(60_000)
    expect(asked).toEqual([])
    expect(await textsOf(first, declined)).toEqual([])
    expect((await cid.face().channels()).find(({ title }) => title === 'Runs')).toMatchObject({ left: 'left' })
  })
})

async function forgetContacts(device: SimDevice): Promise<void> {
  const keys = (await device.store().list('contacts')).map(({ key }) => key)
  await device.disk.write(
    keys.map((key) => ({ delete: 'contacts', key }) as const),
    undefined,
  )
}
