import { describe, expect, it } from 'vitest'
import { groupIdOf, loseState } from '../support/sim/many-devices.ts'
import { say, textsOf } from '../support/sim/meet.ts'
import { circle, identity, personId, personIds } from '../support/sim/people.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import type { World } from '../support/sim/world.ts'

/** Ann owns a group with ben; cid knows nobody. */
async function gather(seed: number) {
  const { world, first: ann, others } = await circle(seed, ['ann', 'ben'])
  const cid = await identity(world, 'cid')
  const [ben] = others
  if (ben === undefined) throw new Error('unreachable')
  const { channelId } = await world.until(
    ann.request('createGroup', { title: 'Walks', members: await personIds(others) }),
  )
  await world.run(90_000)
  return { world, ann, ben, cid, channelId }
}

async function inviteInto(world: World, device: SimDevice, into: string, ask: boolean): Promise<string> {
  const { id } = await world.until(device.request('createInvitation', { into, ask }))
  return (await device.store().get('invitations', id))?.link ?? ''
}

async function namesIn(device: SimDevice, channelId: string): Promise<string[]> {
  return (await device.face().channelDetails(channelId)).members.map(({ name }) => name).sort()
}

async function hasGroup(device: SimDevice): Promise<boolean> {
  return (await device.face().channels()).some(({ kind, left }) => kind === 'group' && left === undefined)
}

async function intoOf(device: SimDevice, link: string) {
  return (await device.face().invitations()).find((one) => one.link === link)?.into
}

describe('an invitation into a group', () => {
  it('[C-12] shows what it is before anything comes of it, makes contact, and brings the claimer in at once', async () => {
    const { world, ann, ben, cid, channelId } = await gather(401)
    const link = await inviteInto(world, ann, channelId, false)
    expect(await intoOf(ann, link)).toEqual({ channelId, title: 'Walks', ask: false, state: 'open' })
    const seen = await world.until(cid.face().lookAtInvitation(link))
    expect(seen).toEqual({ name: 'ann', known: false, channel: { title: 'Walks', ask: false } })
    cid.lose()
    await world.run(60_000)
    expect([await cid.channelIds(), (await cid.face().people()).length], 'looking alone does nothing').toEqual([[], 0])

    const made = await world.until(cid.face().acceptInvitation(link))
    await world.run(90_000)
    const ofCid = await groupIdOf(cid)
    expect(made.channelId, 'and the conversation of two is there as well').not.toBe(ofCid)
    const view = (await cid.face().channels()).find(({ id }) => id === ofCid)
    expect([view?.title, view?.request]).toEqual(['Walks', undefined])
    await say(cid, ofCid, 'hello from cid')
    await say(ben, await groupIdOf(ben), 'hello from ben')
    await world.run(60_000)
    for (const device of [ann, ben, cid]) {
      const id = await groupIdOf(device)
      expect((await textsOf(device, id)).sort(), device.name).toEqual(['hello from ben', 'hello from cid'])
      expect(await namesIn(device, id), device.name).toEqual(['ann', 'ben', 'cid'])
    }
    expect(await intoOf(ann, link)).toMatchObject({ state: 'in' })
  })

  it('[C-12] with asking first, a person says yes or no; nobody comes in before', async () => {
    const { world, ann, cid, channelId } = await gather(402)
    const dan = await identity(world, 'dan')
    const links = [await inviteInto(world, ann, channelId, true), await inviteInto(world, ann, channelId, true)]
    for (const [i, device] of [cid, dan].entries()) {
      expect((await world.until(device.face().lookAtInvitation(links[i] ?? ''))).channel?.ask).toBe(true)
      await world.until(device.face().acceptInvitation(links[i] ?? ''))
    }
    await world.run(120_000)
    expect([await hasGroup(cid), await hasGroup(dan)]).toEqual([false, false])
    const asked = await ann.face().joinRequests(channelId)
    expect(asked.map(({ name, state, by }) => [name, state, by]).sort()).toEqual([
      ['cid', 'asked', 'invitation'],
      ['dan', 'asked', 'invitation'],
    ])
    const of = (name: string) => asked.find((one) => one.name === name)?.id ?? ''
    await world.until(ann.face().approveJoin(of('cid')))
    await world.until(ann.face().declineJoin(of('dan')))
    await world.run(90_000)
    expect([await hasGroup(cid), await hasGroup(dan)]).toEqual([true, false])
    expect(await ann.face().joinRequests(channelId)).toEqual([])
    expect(await intoOf(ann, links[0] ?? '')).toMatchObject({ state: 'in' })
    expect(await intoOf(ann, links[1] ?? '')).toMatchObject({ state: 'declined' })
    for (const act of ['approveJoin', 'declineJoin'] as const) {
      await expect(world.until(ann.face()[act](of('cid')))).rejects.toMatchObject({ code: 'join/unknown' })
    }
  })

  it('[C-12] is made only by who may add people', async () => {
    const { world, ben } = await gather(403)
    const into = await groupIdOf(ben)
    const made = world.until(ben.request('createInvitation', { into, ask: true }))
    await expect(made).rejects.toMatchObject({ code: 'group/not-allowed' })
    const [direct = ''] = (await ben.face().channels()).filter(({ kind }) => kind === 'direct').map(({ id }) => id)
    await expect(world.until(ben.request('createInvitation', { into: direct, ask: true }))).rejects.toMatchObject({
      code: 'group/not-allowed',
    })
  })

  it('[C-12] a replayed claim or introduction is answered the same and changes nothing', async () => {
    const { world, ann, cid, channelId } = await gather(404)
    const link = await inviteInto(world, ann, channelId, false)
    const first = await world.until(cid.face().acceptInvitation(link))
    await world.run(90_000)
    const before = await ann.store().list('joins')
    expect(await world.until(cid.face().acceptInvitation(link))).toEqual(first)
    expect(await world.until(cid.face().lookAtInvitation(link))).toMatchObject({ channel: { title: 'Walks' } })
    // The relay gives the mailbox from its beginning once more: every introduction comes again.
    const realm = await ann.store().get('meta', 'realm')
    if (realm?.kind !== 'realm') throw new Error('unreachable')
    const mail: { n: number; envelope: Uint8Array }[] = []
    const dan = await identity(world, 'dan')
    const another = await inviteInto(world, ann, channelId, false)
    world.onRequest((device, operation, args) => {
      if (device !== dan || operation !== 'channel.commit') return
      const { welcomes } = args as { welcomes: { envelope: Uint8Array }[] }
      for (const { envelope } of welcomes) mail.push({ n: 0, envelope })
    })
    await world.until(dan.face().acceptInvitation(another))
    await world.run(90_000)
    expect(mail).not.toEqual([])
    let n = 1_000_000
    ann.forge = (operation) =>
      operation === 'mailbox.fetch' && n < 1_000_004
        ? { items: mail.map((item) => ({ ...item, n: n++ })), labels: [], more: false }
        : undefined
    const commits: unknown[] = []
    world.onRequest((device, operation) => {
      if (device === ann && operation === 'channel.commit') commits.push(operation)
    })
    ann.lose()
    await world.run(90_000)
    expect(n).toBeGreaterThan(1_000_000)
    expect(commits).toEqual([])
    expect(await namesIn(ann, channelId)).toEqual(['ann', 'ben', 'cid', 'dan'])
    expect(await ann.store().list('joins')).toEqual(expect.arrayContaining([...before]))
  })

  it('[C-12] revoked between claim and introduction, it brings nobody in', async () => {
    const { world, ann, cid, channelId } = await gather(405)
    const link = await inviteInto(world, ann, channelId, false)
    await world.until(cid.face().lookAtInvitation(link)) // claimed
    const { id } = (await ann.face().invitations()).find((one) => one.link === link) ?? { id: '' }
    await world.until(ann.face().revokeInvitation(id))
    await world.until(cid.face().acceptInvitation(link))
    await world.run(120_000)
    expect(await namesIn(ann, channelId)).toEqual(['ann', 'ben'])
    expect(await hasGroup(cid)).toBe(false)
    expect(await ann.store().list('joins')).toEqual([])
  })

  it('[C-04] [C-12] what changed in between ends it: a role taken back, the group left, the claimer blocked; said once', async () => {
    const { world, ann, ben, cid, channelId } = await gather(406)
    const ofBen = await groupIdOf(ben)
    await world.until(ann.request('setRole', { channelId, id: await personId(ben), role: 'admin' }))
    await world.run(30_000)
    const link = await inviteInto(world, ben, ofBen, false)
    const another = await inviteInto(world, ben, ofBen, true)
    await world.until(ann.request('setRole', { channelId, id: await personId(ben), role: 'member' }))
    await world.run(30_000)
    await world.until(cid.face().acceptInvitation(link))
    await world.run(90_000)
    expect(await intoOf(ben, link)).toMatchObject({ state: 'failed', why: 'join/role' })
    const [said] = await ben.face().joinRequests(ofBen)
    expect(said).toMatchObject({ name: 'cid', state: 'failed', why: 'join/role' })
    await world.until(ben.face().dismissJoin(said?.id ?? ''))
    expect(await ben.face().joinRequests(ofBen)).toEqual([])
    expect(await hasGroup(cid)).toBe(false)

    const dan = await identity(world, 'dan')
    await world.until(dan.face().acceptInvitation(another))
    await world.run(60_000)
    const [asked] = await ben.face().joinRequests(ofBen)
    await world.until(ben.request('leaveChannel', { channelId: ofBen }))
    await world.run(60_000)
    await world.until(ben.face().approveJoin(asked?.id ?? ''))
    await world.run(30_000)
    expect(await intoOf(ben, another)).toMatchObject({ state: 'failed', why: 'join/gone' })

    const third = await inviteInto(world, ann, channelId, true)
    const eva = await identity(world, 'eva')
    await world.until(eva.face().acceptInvitation(third))
    await world.run(60_000)
    const [ofEva] = await ann.face().joinRequests(channelId)
    await world.until(ann.face().setBlocked(await personId(eva), true))
    expect(await ann.face().joinRequests(channelId), 'blocked people are passed over').toEqual([])
    await world.until(ann.face().approveJoin(ofEva?.id ?? ''))
    await world.run(60_000)
    expect(await intoOf(ann, third)).toMatchObject({ state: 'failed', why: 'join/blocked' })
    expect(await hasGroup(eva)).toBe(false)
  })

  it('[C-12] waits for a claimer who has left no key packages yet, and for a device that is away', async () => {
    const { world, ann, cid, channelId } = await gather(407)
    const link = await inviteInto(world, ann, channelId, false)
    let withheld = 0
    ann.forge = (operation) => (operation === 'packages.take' && withheld++ < 2 ? { devices: [] } : undefined)
    await world.until(cid.face().acceptInvitation(link))
    await world.run(45_000)
    expect(await intoOf(ann, link)).toMatchObject({ state: 'coming' })
    ann.goAway()
    await world.run(60_000)
    ann.comeBack()
    await world.run(180_000)
    expect(withheld).toBe(3)
    expect(await hasGroup(cid)).toBe(true)
    expect(await intoOf(ann, link)).toMatchObject({ state: 'in' })
  })

  it('[C-05] [C-12] who was brought in and taken out again does not come back by the same invitation', async () => {
    const { world, ann, cid, channelId } = await gather(408)
    const link = await inviteInto(world, ann, channelId, false)
    await world.until(cid.face().acceptInvitation(link))
    await world.run(90_000)
    await world.until(ann.request('removeMember', { channelId, id: await personId(cid) }))
    await world.run(60_000)
    ann.kill()
    await world.run(120_000)
    expect(await namesIn(ann, channelId)).toEqual(['ann', 'ben'])
  })

  it('[C-05] [C-12] [INV9] who was taken out does not come back by another link by themselves: a person is asked', async () => {
    const { world, ann, ben, cid, channelId } = await gather(409)
    const links = [await inviteInto(world, ann, channelId, false), await inviteInto(world, ann, channelId, false)]
    await world.until(cid.face().acceptInvitation(links[0] ?? ''))
    await world.run(90_000)
    await world.until(ann.request('setRole', { channelId, id: await personId(ben), role: 'admin' }))
    await world.run(30_000)
    await world.until(ben.request('removeMember', { channelId: await groupIdOf(ben), id: await personId(cid) }))
    await world.run(60_000)
    await world.until(cid.face().acceptInvitation(links[1] ?? ''))
    await world.run(120_000)
    expect(await namesIn(ann, channelId)).toEqual(['ann', 'ben'])
    const asked = await ann.face().joinRequests(channelId)
    expect(asked).toMatchObject([{ name: 'cid', state: 'asked', by: 'invitation', putOut: true }])
    await world.until(ann.request('approveJoin', { id: asked[0]?.id ?? '' }))
    await world.run(90_000)
    expect(await namesIn(ann, channelId)).toEqual(['ann', 'ben', 'cid'])
    expect((await ann.store().get('channels', channelId))?.putOut).toBeUndefined()
  })

  it('[C-05] [C-07] [INV9] nor when it was done before the device that made the link came in again by itself', async () => {
    const { world, ann, ben, cid, channelId } = await gather(411)
    const links = [await inviteInto(world, ann, channelId, false), await inviteInto(world, ann, channelId, false)]
    await world.until(cid.face().acceptInvitation(links[0] ?? ''))
    await world.run(90_000)
    await world.until(ann.request('setRole', { channelId, id: await personId(ben), role: 'admin' }))
    await world.run(30_000)
    ann.goAway()
    await world.until(ben.request('removeMember', { channelId: await groupIdOf(ben), id: await personId(cid) }))
    await world.run(60_000)
    await loseState(ann)
    await world.run(120_000)
    expect((await ann.face().channels()).find(({ id }) => id === channelId)?.state).toBe('open')
    expect(await namesIn(ann, channelId)).toEqual(['ann', 'ben'])
    await world.until(cid.face().acceptInvitation(links[1] ?? ''))
    await world.run(120_000)
    expect(await namesIn(ann, channelId)).toEqual(['ann', 'ben'])
    expect(await ann.face().joinRequests(channelId)).toMatchObject([{ name: 'cid', state: 'asked', putOut: true }])
  })

  it('[C-12] [INV9] who left comes back by another link without being asked about', async () => {
    const { world, ann, cid, channelId } = await gather(410)
    const links = [await inviteInto(world, ann, channelId, false), await inviteInto(world, ann, channelId, false)]
    await world.until(cid.face().acceptInvitation(links[0] ?? ''))
    await world.run(90_000)
    await world.until(cid.request('leaveChannel', { channelId: await groupIdOf(cid) }))
    await world.run(90_000)
    expect(await namesIn(ann, channelId)).toEqual(['ann', 'ben'])
    await world.until(cid.face().acceptInvitation(links[1] ?? ''))
    await world.run(120_000)
    expect(await namesIn(ann, channelId)).toEqual(['ann', 'ben', 'cid'])
  })
})
