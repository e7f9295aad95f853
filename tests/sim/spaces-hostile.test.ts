import { describe, expect, it } from 'vitest'
import { changeContext, toExtension } from '#core/mls/channel-context.ts'
import { type Group, type SpaceChange, spaceListing } from '#core/mls/index.ts'
import type { Address } from '#core/wire/ids.ts'
import { commitForged } from '../support/sim/forged-commit.ts'
import { acquaint, identity, personId, personIds } from '../support/sim/people.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { addChannel, channelOn, homeOn, makeIdle, membersOn, shownIn, spaceOf, tamper } from '../support/sim/spaces.ts'

const forging = (space: SpaceChange) => (group: Group) => ({
  space,
  proposals: [
    {
      proposalType: 'group_context_extensions' as const,
      groupContextExtensions: { extensions: [toExtension(changeContext(group.context, { space }))] },
    },
  ],
})

async function addressOf(device: SimDevice, title: string): Promise<Address> {
  const { id } = await channelOn(device, title)
  const address = (await device.store().get('channels', id))?.address
  if (address === undefined) throw new Error('no address')
  return address
}

async function listedOn(device: SimDevice): Promise<number> {
  const record = await device.store().get('channels', (await homeOn(device)).id)
  return record?.space?.is === 'home' ? record.space.channels.length : -1
}

describe('[C-10] [C-04] a member who follows no rules', () => {
  it('[SPC2] [SPC3] [SPC10] claims the space for a channel of their own: nobody lists it, and nobody is shown it in there', async () => {
    const { world, first, others, home } = await spaceOf(321, ['ann', 'bea', 'cid', 'dan'])
    const dan = others[2]
    if (dan === undefined) throw new Error('unreachable')
    await addChannel(world, first, home, 'Tools')
    const { id: ofDan } = await homeOn(dan)
    const record = await dan.store().get('meta', 'account')
    if (record?.kind !== 'account') throw new Error('unreachable')
    const { account } = record
    await tamper(world, dan, ofDan, (channel) => ({
      ...channel,
      roles: [...(channel.roles ?? []), { account, role: 'owner' }],
    }))
    await world.until(dan.request('addToSpace', { spaceId: ofDan, title: 'Cellar' }))
    await world.run(90_000)
    for (const device of [first, ...others.slice(0, 2)]) {
      const cellar = await channelOn(device, 'Cellar')
      expect(cellar.space, device.name).toBeUndefined()
      expect(await shownIn(device)).toEqual(['Tools'])
      expect(await listedOn(device)).toBe(1)
    }

    const list = spaceListing([await addressOf(dan, 'Cellar')], [])
    await commitForged(world, dan, ofDan, forging(list))
    await commitForged(world, dan, ofDan, forging(spaceListing([], [await addressOf(first, 'Tools')]))).catch(() => {})
    await world.run(90_000)
    for (const device of [first, ...others]) {
      expect(await listedOn(device), `${device.name}: void for all`).toBe(1)
    }
    for (const device of [first, ...others.slice(0, 2)]) {
      expect(await shownIn(device), device.name).toEqual(['Tools'])
      expect((await channelOn(device, 'Cellar')).space).toBeUndefined()
    }

    dan.goAway() // lest he makes himself what he is in the space
    await commitForged(world, first, home, forging(list)) // an owner's, and so a good one
    await world.run(90_000)
    for (const device of [first, ...others.slice(0, 2)]) {
      expect(await listedOn(device)).toBe(2)
      expect(await shownIn(device), `${device.name}: its owner is a plain member of the space (SPC3)`).toEqual([
        'Tools',
      ])
    }
    expect(await membersOn(first, 'Cellar'), 'and nobody does anything there').toContain('dan owner')
  })

  it('[SPC2] an owner lists a foreign group: it is shown in no space, and nobody is brought into it or put out of it', async () => {
    const { world, first, others } = await spaceOf(322, ['ann', 'bea', 'cid'])
    const [bea, cid] = others
    if (bea === undefined || cid === undefined) throw new Error('unreachable')
    await acquaint(world, bea, [cid])
    const members = await personIds([cid])
    await world.until(bea.request('createGroup', { title: 'Secret', members }))
    await world.run(60_000)
    const { id: secret } = await channelOn(cid, 'Secret')
    if ((await channelOn(cid, 'Secret')).request) await world.until(cid.request('acceptRequest', { channelId: secret }))
    await commitForged(
      world,
      first,
      (await homeOn(first)).id,
      forging(spaceListing([await addressOf(bea, 'Secret')], [])),
    )
    await world.run(90_000)
    for (const device of [bea, cid]) {
      expect(await listedOn(device), 'it is a good commit').toBe(1)
      expect((await channelOn(device, 'Secret')).space, device.name).toBeUndefined()
      expect(await shownIn(device)).toEqual([])
      expect(await membersOn(device, 'Secret')).toEqual(['bea owner', 'cid'])
    }
    expect(await shownIn(first)).toEqual([])
  })

  it('[SPC4] [SPC7] what an admin does to a channel alone is undone by the others', async () => {
    const { world, first, others, home } = await spaceOf(323, ['ann', 'bea', 'cid'])
    const [bea, cid] = others
    const dan = await identity(world, 'dan')
    if (bea === undefined || cid === undefined) throw new Error('unreachable')
    await addChannel(world, first, home, 'Tools')
    await world.until(first.request('setRole', { channelId: home, id: await personId(bea), role: 'admin' }))
    await world.run(60_000)
    await acquaint(world, bea, [dan])
    const { id: tools } = await channelOn(bea, 'Tools')
    const { id: invitation } = await world.until(bea.request('createInvitation', { into: tools, ask: false }))
    expect((await bea.store().get('invitations', invitation))?.into?.channelId, 'it is into the space').toBe(
      (await homeOn(bea)).id,
    )
    await makeIdle(world, bea)
    await world.until(bea.request('addMembers', { channelId: tools, ids: [await personId(dan)] }))
    await world.run(60_000)
    expect(await membersOn(first, 'Tools')).toEqual(['ann owner', 'bea admin', 'cid'])
    await world.until(bea.request('removeMember', { channelId: tools, id: await personId(cid) }))
    await world.run(90_000)
    for (const device of [first, cid]) {
      expect(await membersOn(device, 'Tools'), device.name).toEqual(['ann owner', 'bea admin', 'cid'])
      expect(await shownIn(device), device.name).toEqual(['Tools'])
    }
    expect((await dan.face().channels()).every(({ space }) => space === undefined)).toBe(true)
  })
})

describe('[SPC4] whoever changed the home does nothing more', () => {
  it('another who may brings it into the channels', async () => {
    const { world, first, others, home } = await spaceOf(324, ['ann', 'bea', 'cid', 'dan'])
    const [bea, cid, dan] = others
    const eve = await identity(world, 'eve')
    if (bea === undefined || cid === undefined || dan === undefined) throw new Error('unreachable')
    await addChannel(world, first, home, 'Tools')
    await world.until(first.request('setRole', { channelId: home, id: await personId(bea), role: 'owner' }))
    await world.run(60_000)
    await acquaint(world, first, [eve])
    const { id: tools } = await channelOn(first, 'Tools')
    await tamper(world, first, tools, ({ spaceSeen: _, space: __, ...channel }) => channel)
    await world.until(first.request('removeMember', { channelId: home, id: await personId(cid) }))
    await world.until(first.request('addMembers', { channelId: home, ids: [await personId(eve)] }))
    await world.until(first.request('setRole', { channelId: home, id: await personId(dan), role: 'admin' }))
    await world.run(90_000)
    await world.until(eve.request('acceptRequest', { channelId: (await homeOn(eve)).id }))
    await world.run(30_000)
    expect(await membersOn(bea, 'Tools')).toEqual(['ann owner', 'bea owner', 'dan admin', 'eve'])
    expect(await membersOn(dan, 'Tools')).toEqual(['ann owner', 'bea owner', 'dan admin', 'eve'])
    expect((await channelOn(cid, 'Tools')).left).toBe('removed')
  })
})
