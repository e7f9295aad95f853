import { describe, expect, it } from 'vitest'
import { equalBytes } from '#core/bytes/equal.ts'
import { RelayError } from '#core/errors.ts'
import type { ArgsOf, OperationName } from '#core/wire/operations.ts'
import { say, textsOf } from '../support/sim/meet.ts'
import { acquaint, circle, identity, personId, personIds } from '../support/sim/people.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { addChannel, channelOn, homeOn, membersOn, shownIn, spaceOf } from '../support/sim/spaces.ts'
import type { World } from '../support/sim/world.ts'

async function addressOn(device: SimDevice, title: string): Promise<Uint8Array> {
  const record = await device.store().get('channels', (await channelOn(device, title)).id)
  if (record?.address === undefined) throw new Error('no address')
  return record.address
}

/** For that channel the relay has no time. */
const silentAt =
  (address: Uint8Array, operation: string): SimDevice['forge'] =>
  (asked, args) => {
    const isThere = asked === operation && equalBytes((args as { address: Uint8Array }).address, address)
    return isThere ? new RelayError('relay/busy', { retryable: true }) : undefined
  }

/** A line so slow that an answer of that channel is on its way for this long. */
const lateAt =
  (world: World, address: Uint8Array, operation: OperationName, lateMs: number): SimDevice['forge'] =>
  (asked, args) => {
    if (asked !== operation || !equalBytes((args as { address: Uint8Array }).address, address)) return undefined
    const relay = world.relay.connect(() => {})
    return new Promise((resolve) => {
      world.timeline.plan(lateMs, () => resolve(relay.call(operation, args as ArgsOf<typeof operation>)))
    })
  }

async function noticesOn(device: SimDevice, title: string): Promise<string[]> {
  const lines = await device.lines((await channelOn(device, title)).id)
  return lines.flatMap((line) => (line.kind === 'group' ? [`${line.notice} ${line.value}`] : []))
}

const ofAll = (devices: readonly SimDevice[], title: string) =>
  Promise.all(devices.map((device) => membersOn(device, title)))

describe('[C-10] a space', () => {
  it('[SPC1] [SPC10] is made, has channels with all of its members in them, and they talk there', async () => {
    const { world, first, others, home } = await spaceOf(301, ['ann', 'bea', 'cid'])
    for (const device of [first, ...others]) expect((await homeOn(device)).title).toBe('Allotment')
    const commits: string[] = []
    world.onRequest((device, operation) => {
      if (operation === 'channel.commit' && device === first) commits.push(operation)
    })
    const { channelId } = await world.until(first.request('addToSpace', { spaceId: home, title: 'Tools' }))
    await say(first, channelId, 'who has a spade?')
    await world.run(10_000)
    expect(commits, 'one brings all of them in, one lists it').toHaveLength(2)
    await world.run(50_000)
    for (const device of [first, ...others]) {
      expect(await shownIn(device), device.name).toEqual(['Tools'])
      expect(await membersOn(device, 'Tools')).toEqual(['ann owner', 'bea', 'cid'])
      const { id } = await channelOn(device, 'Tools')
      expect(await textsOf(device, id)).toEqual(['who has a spade?'])
      expect(await noticesOn(device, 'Allotment'), 'nothing happens unseen').toContain('space listed')
    }
  })

  it('[SPC4] [SPC10] a channel is added before its members have come into the home: nobody is kept waiting, and all are in it', async () => {
    const { world, first, others } = await circle(310, ['ann', 'bea', 'cid'])
    const members = await personIds(others)
    const { channelId: spaceId } = await world.until(first.request('createSpace', { title: 'Allotment', members }))
    expect((await homeOn(first)).state).toBe('joining')
    await world.until(first.request('addToSpace', { spaceId, title: 'Tools' }))
    await world.run(120_000)
    for (const device of [first, ...others]) {
      expect(await shownIn(device), device.name).toEqual(['Tools'])
      expect(await membersOn(device, 'Tools')).toEqual(['ann owner', 'bea', 'cid'])
    }
  })

  it('[SPC4] [SPC7] whoever is added to it, or to one of its channels, is in all of them, and is asked once', async () => {
    const { world, first, others, home } = await spaceOf(302, ['ann', 'bea', 'cid'])
    const dan = await identity(world, 'dan')
    await acquaint(world, first, [dan]) // dan knows nobody
    await addChannel(world, first, home, 'Tools')
    await addChannel(world, first, home, 'Seeds')
    const { id: tools } = await channelOn(first, 'Tools')
    await world.until(first.request('addMembers', { channelId: tools, ids: [await personId(dan)] }))
    await world.run(60_000)
    const requests = (await dan.face().channels()).filter(({ request }) => request !== undefined)
    expect(requests.map(({ title }) => title).sort()).toEqual(['Allotment', 'Seeds', 'Tools'])
    await world.until(dan.request('acceptRequest', { channelId: (await channelOn(dan, 'Seeds')).id }))
    await world.run(60_000)
    expect((await dan.face().channels()).filter(({ request }) => request !== undefined)).toEqual([])
    for (const device of [first, ...others, dan]) {
      expect(await shownIn(device), device.name).toEqual(['Seeds', 'Tools'])
      for (const title of ['Allotment', 'Tools', 'Seeds']) {
        expect(await membersOn(device, title), `${device.name} ${title}`).toEqual(['ann owner', 'bea', 'cid', 'dan'])
      }
    }
    await say(dan, (await channelOn(dan, 'Seeds')).id, 'hello from dan')
    await world.run(30_000)
    for (const device of [first, ...others])
      expect(await textsOf(device, (await channelOn(device, 'Seeds')).id)).toEqual(['hello from dan'])

    await addChannel(world, first, home, 'Walks')
    expect(await shownIn(dan), 'not asked again').toEqual(['Seeds', 'Tools', 'Walks'])
    expect((await channelOn(dan, 'Walks')).request).toBeUndefined()
  })

  it('[SPC8] [C-05] [I-06] whoever is removed is out of all of it, and opens nothing that is said there afterwards', async () => {
    const { world, first, others, home } = await spaceOf(303, ['ann', 'bea', 'cid'])
    const [bea, cid] = others
    if (bea === undefined || cid === undefined) throw new Error('unreachable')
    await addChannel(world, first, home, 'Tools')
    await addChannel(world, first, home, 'Seeds')
    await world.until(first.request('removeMember', { channelId: home, id: await personId(cid) }))
    await world.run(2_000) // nobody waits for chance
    for (const title of ['Allotment', 'Tools', 'Seeds'])
      expect(await membersOn(first, title)).toEqual(['ann owner', 'bea'])
    for (const title of ['Allotment', 'Tools', 'Seeds'])
      await say(first, (await channelOn(first, title)).id, `after, in ${title}`)
    await world.run(300_000)
    for (const title of ['Allotment', 'Tools', 'Seeds']) {
      expect(await textsOf(bea, (await channelOn(bea, title)).id)).toEqual([`after, in ${title}`])
      const channel = await channelOn(cid, title)
      expect(channel.left, title).toBe('removed')
      expect(await textsOf(cid, channel.id)).toEqual([])
    }

    await world.until(first.request('addMembers', { channelId: home, ids: [await personId(cid)] }))
    await world.run(90_000)
    expect(await shownIn(cid)).toEqual(['Seeds', 'Tools'])
    await say(cid, (await channelOn(cid, 'Tools')).id, 'back again')
    await world.run(30_000)
    expect(await textsOf(first, (await channelOn(first, 'Tools')).id)).toEqual(['after, in Tools', 'back again'])
  })

  it('[SPC8] [C-05] whoever is removed is out of its channels, though somebody else is looked up for them at a relay that has no time', async () => {
    const { world, first, others, home } = await spaceOf(313, ['ann', 'bea', 'cid'])
    const cid = others[1]
    const dan = await identity(world, 'dan')
    if (cid === undefined) throw new Error('unreachable')
    await acquaint(world, first, [dan])
    for (const title of ['Tools', 'Seeds']) await addChannel(world, first, home, title)
    let taken = 0
    const full = new RelayError('quota/packages', { retryable: true, detail: { waitMs: 50_000 } })
    first.forge = (operation) => (operation === 'packages.take' && taken++ > 0 ? full : undefined)
    await world.until(first.request('addMembers', { channelId: home, ids: [await personId(dan)] }))
    await world.run(10_000)
    expect(taken, 'into the home he came, for a channel he is looked up').toBeGreaterThan(1)
    await world.until(first.request('removeMember', { channelId: home, id: await personId(cid) }))
    await world.run(2_000)
    for (const title of ['Tools', 'Seeds']) expect(await membersOn(first, title), title).toEqual(['ann owner', 'bea'])
    first.forge = () => undefined
    await world.run(120_000)
    for (const title of ['Tools', 'Seeds'])
      expect(await membersOn(first, title), title).toEqual(['ann owner', 'bea', 'dan'])
  })

  it('[SPC4] [C-04] roles follow the home, given and taken back', async () => {
    const { world, first, others, home } = await spaceOf(304, ['ann', 'bea', 'cid'])
    const [bea, cid] = others
    if (bea === undefined || cid === undefined) throw new Error('unreachable')
    await addChannel(world, first, home, 'Tools')
    const { id: tools } = await channelOn(first, 'Tools')
    await world.until(first.request('setRole', { channelId: tools, id: await personId(bea), role: 'owner' }))
    await world.until(first.request('setRole', { channelId: home, id: await personId(cid), role: 'admin' }))
    await world.run(30_000)
    for (const title of ['Allotment', 'Tools'])
      expect(await ofAll([first, bea, cid], title)).toEqual(Array(3).fill(['ann owner', 'bea owner', 'cid admin']))
    const { id: ofCid } = await channelOn(cid, 'Tools')
    await world.until(cid.request('setProfile', { channelId: ofCid, change: { topic: 'by an admin' } }))
    await world.until(
      bea.request('setRole', { channelId: (await homeOn(bea)).id, id: await personId(first), role: 'member' }),
    )
    await world.until(
      bea.request('setRole', { channelId: (await homeOn(bea)).id, id: await personId(cid), role: 'member' }),
    )
    await world.run(30_000)
    for (const title of ['Allotment', 'Tools'])
      expect(await ofAll([first, bea, cid], title)).toEqual(Array(3).fill(['ann', 'bea owner', 'cid']))
    expect((await first.face().channelDetails(tools)).topic).toBe('by an admin')
  })

  it('[SPC10] an admin makes a channel of it: its owners are those of the space, and the maker is an admin there', async () => {
    const { world, first, others, home } = await spaceOf(305, ['ann', 'bea', 'cid'])
    const [bea, cid] = others
    if (bea === undefined || cid === undefined) throw new Error('unreachable')
    await world.until(first.request('setRole', { channelId: home, id: await personId(bea), role: 'admin' }))
    await world.run(30_000)
    first.goAway()
    await addChannel(world, bea, (await homeOn(bea)).id, 'Tools') // bea and cid have never met
    await world.run(30_000)
    expect(await shownIn(cid)).toEqual(['Tools'])
    expect(await ofAll([bea, cid], 'Tools'), 'though ann is away').toEqual(
      Array(2).fill(['ann owner', 'bea admin', 'cid']),
    )
    first.comeBack()
    await world.run(60_000)
    expect(await ofAll([first, bea, cid], 'Tools')).toEqual(Array(3).fill(['ann owner', 'bea admin', 'cid']))
    for (const device of [first, bea, cid]) expect(await shownIn(device)).toEqual(['Tools'])
    await expect(
      world.until(cid.request('addToSpace', { spaceId: (await homeOn(cid)).id, title: 'Mine' })),
    ).rejects.toThrow('group/not-allowed')
  })

  it('[SPC10] [I-15] its owners are owners of a new channel from the start, should its maker never come back', async () => {
    const { world, first, others, home } = await spaceOf(308, ['ann', 'bea', 'cid'])
    const [bea, cid] = others
    if (bea === undefined || cid === undefined) throw new Error('unreachable')
    await world.until(first.request('setRole', { channelId: home, id: await personId(bea), role: 'admin' }))
    await world.run(30_000)
    let commits = 0
    world.onReply((device, operation) => {
      if (device === bea && operation === 'channel.commit' && ++commits === 2) bea.goAway()
    })
    await addChannel(world, bea, (await homeOn(bea)).id, 'Tools')
    await world.run(60_000)
    expect(commits, 'everybody in, and listed').toBe(2)
    expect(await ofAll([first, cid], 'Tools')).toEqual(Array(2).fill(['ann owner', 'bea admin', 'cid']))
    for (const device of [first, cid]) expect(await shownIn(device)).toEqual(['Tools'])
  })

  it('[SPC8] whoever leaves it leaves all of it; one channel alone can’t be left', async () => {
    const { world, first, others, home } = await spaceOf(306, ['ann', 'bea', 'cid'])
    const [bea, cid] = others
    if (bea === undefined || cid === undefined) throw new Error('unreachable')
    await addChannel(world, first, home, 'Tools')
    await addChannel(world, first, home, 'Seeds')
    const { id: tools } = await channelOn(cid, 'Tools')
    await expect(world.until(cid.request('leaveChannel', { channelId: tools }))).rejects.toThrow('space/leave-whole')
    await world.until(cid.request('leaveChannel', { channelId: (await homeOn(cid)).id }))
    await world.run(90_000)
    for (const title of ['Allotment', 'Tools', 'Seeds']) {
      expect((await channelOn(cid, title)).left, title).toBe('left')
      expect(await ofAll([first, bea], title)).toEqual(Array(2).fill(['ann owner', 'bea']))
    }
    await expect(world.until(first.request('leaveChannel', { channelId: home }))).rejects.toThrow('channel/last-owner')
    expect((await channelOn(first, 'Tools')).left, 'nothing was begun').toBeUndefined()
  })

  it('[SPC8] nobody leaves while a channel would be left without an owner, though the space has another', async () => {
    const { world, first, others, home } = await spaceOf(309, ['ann', 'bea'])
    const [bea] = others
    if (bea === undefined) throw new Error('unreachable')
    await addChannel(world, first, home, 'Tools')
    const tools = await addressOn(first, 'Tools')
    for (const device of [first, bea]) device.forge = silentAt(tools, 'channel.commit')
    await world.until(first.request('setRole', { channelId: home, id: await personId(bea), role: 'owner' }))
    await world.run(20_000)
    expect(await membersOn(first, 'Allotment')).toEqual(['ann owner', 'bea owner'])
    expect(await membersOn(first, 'Tools'), 'this one lags').toEqual(['ann owner', 'bea'])
    await expect(world.until(first.request('leaveChannel', { channelId: home }))).rejects.toThrow('channel/last-owner')
    expect((await homeOn(first)).left, 'nothing was begun').toBeUndefined()
    for (const device of [first, bea]) device.forge = () => undefined
    await world.run(120_000)
    await world.until(first.request('leaveChannel', { channelId: home }))
    await world.run(90_000)
    for (const title of ['Allotment', 'Tools']) expect(await membersOn(bea, title)).toEqual(['bea owner'])
  })

  it('[SPC5] what a device has not heard of yet, or is about to hear, it does not undo', async () => {
    const { world, first, others, home } = await spaceOf(310, ['ann', 'bea'])
    const [bea] = others
    const cid = await identity(world, 'cid')
    if (bea === undefined) throw new Error('unreachable')
    await acquaint(world, first, [cid])
    await addChannel(world, first, home, 'Tools')
    await world.until(first.request('setRole', { channelId: home, id: await personId(bea), role: 'owner' }))
    await world.run(60_000)
    bea.goAway()
    await world.until(first.request('addMembers', { channelId: home, ids: [await personId(cid)] }))
    await world.run(60_000)
    first.goAway()
    const there = await addressOn(bea, 'Allotment')
    bea.forge = silentAt(there, 'channel.fetch') // it hears of the channel alone
    bea.comeBack()
    await world.run(60_000)
    expect(await membersOn(bea, 'Tools')).toEqual(['', 'ann owner', 'bea owner'])
    bea.forge = lateAt(world, there, 'channel.fetch', 60_000)
    bea.lose()
    await world.run(50_000)
    expect(await membersOn(bea, 'Tools'), 'while it is told').toEqual(['', 'ann owner', 'bea owner'])
    bea.forge = () => undefined
    first.comeBack()
    await world.run(120_000)
    for (const title of ['Allotment', 'Tools']) {
      expect(await membersOn(bea, title)).toEqual(['', 'ann owner', 'bea owner'])
      expect(await noticesOn(bea, title)).not.toContain('removed ')
    }
  })

  it('[SPC4] [SPC5] a channel that is at something when it is to be compared is so when that is done', async () => {
    const { world, first, others, home } = await spaceOf(311, ['ann', 'bea', 'cid'])
    const [bea, cid] = others
    if (bea === undefined || cid === undefined) throw new Error('unreachable')
    await addChannel(world, first, home, 'Tools')
    await world.until(first.request('setRole', { channelId: home, id: await personId(bea), role: 'admin' }))
    await world.run(60_000)
    first.forge = silentAt(await addressOn(first, 'Tools'), 'channel.commit')
    bea.forge = lateAt(world, await addressOn(bea, 'Tools'), 'channel.post', 30_000)
    await say(bea, (await channelOn(bea, 'Tools')).id, 'on a slow line')
    await world.until(first.request('removeMember', { channelId: home, id: await personId(cid) }))
    await world.run(25_000)
    bea.forge = () => undefined
    expect(await membersOn(bea, 'Tools')).toContain('cid')
    await world.run(45_000)
    expect(await membersOn(bea, 'Tools')).toEqual(['ann owner', 'bea admin'])
  })

  it('[SPC11] a channel is taken out and stays, as a group of its own: nothing follows the space any more', async () => {
    const { world, first, others, home } = await spaceOf(307, ['ann', 'bea', 'cid'])
    const [bea, cid] = others
    if (bea === undefined || cid === undefined) throw new Error('unreachable')
    await addChannel(world, first, home, 'Tools')
    await addChannel(world, first, home, 'Seeds')
    const { id: tools } = await channelOn(first, 'Tools')
    await world.until(first.request('removeFromSpace', { channelId: tools }))
    await world.run(60_000)
    for (const device of [first, bea, cid]) {
      expect(await shownIn(device), device.name).toEqual(['Seeds'])
      expect((await channelOn(device, 'Tools')).space).toBeUndefined()
      expect(await noticesOn(device, 'Tools')).toContain('space out')
      expect(await noticesOn(device, 'Allotment')).toContain('space unlisted')
      const record = await device.store().get('channels', (await homeOn(device)).id)
      expect(record?.space?.is === 'home' && record.space.channels.length, 'nor does the home list it').toBe(1)
    }
    await world.until(first.request('removeMember', { channelId: home, id: await personId(cid) }))
    await world.run(60_000)
    expect(await membersOn(first, 'Tools')).toEqual(['ann owner', 'bea', 'cid'])
    expect(await membersOn(first, 'Seeds')).toEqual(['ann owner', 'bea'])
    await say(cid, (await channelOn(cid, 'Tools')).id, 'still here')
    await world.run(30_000)
    expect(await textsOf(first, tools)).toEqual(['still here'])
  })
})
