import { describe, expect, it } from 'vitest'
import { acquaint, identity, personId } from '../support/sim/people.ts'
import { channelOn, homeOn, membersOn, shownIn, spaceOf } from '../support/sim/spaces.ts'

describe('[C-10] [C-03] several at once', () => {
  it('[SPC4] two owners add, remove, promote and make channels at the same moment: one view of all of it', async () => {
    const { world, first, others, home } = await spaceOf(331, ['ann', 'bea', 'cid', 'dan'])
    const [bea, cid, dan] = others
    if (bea === undefined || cid === undefined || dan === undefined) throw new Error('unreachable')
    const [eve, fay] = [await identity(world, 'eve'), await identity(world, 'fay')]
    await acquaint(world, first, [eve])
    await acquaint(world, bea, [fay])
    await world.until(first.request('setRole', { channelId: home, id: await personId(bea), role: 'owner' }))
    await world.run(60_000)
    const ofBea = (await homeOn(bea)).id
    await world.until(first.request('addToSpace', { spaceId: home, title: 'Tools' }))
    await world.run(60_000)
    const acts = [
      first.request('addMembers', { channelId: home, ids: [await personId(eve)] }),
      bea.request('addMembers', { channelId: ofBea, ids: [await personId(fay)] }),
      first.request('addToSpace', { spaceId: home, title: 'Seeds' }),
      bea.request('addToSpace', { spaceId: ofBea, title: 'Walks' }),
      bea.request('removeMember', { channelId: ofBea, id: await personId(cid) }),
      first.request('setRole', { channelId: home, id: await personId(dan), role: 'admin' }),
    ]
    await world.until(Promise.all(acts))
    await world.run(180_000)
    for (const device of [eve, fay])
      await world.until(device.request('acceptRequest', { channelId: (await homeOn(device)).id }))
    await world.run(60_000)
    const expected = ['ann owner', 'bea owner', 'dan admin', 'eve', 'fay']
    for (const device of [first, bea, dan, eve, fay]) {
      expect(await shownIn(device), device.name).toEqual(['Seeds', 'Tools', 'Walks'])
      for (const title of ['Allotment', 'Seeds', 'Tools', 'Walks'])
        expect(await membersOn(device, title), `${device.name} ${title}`).toEqual(expected)
    }
    const left = (await cid.face().channels()).filter(({ space }) => space !== undefined)
    expect(left.map((channel) => channel.left)).toEqual(left.map(() => 'removed'))
  })
})

describe('[C-10] [I-16] a crash while a channel of a space is made', () => {
  it('[SPC10] at any write, before or after it: it is there once, in the space, with everybody', {
    timeout: 240_000,
  }, async () => {
    const { world, first, others, home } = await spaceOf(332, ['ann', 'bea', 'cid'])
    const made: string[] = []
    let crashes = 0
    for (let n = 1; n <= 14; n++) {
      const [title, side] = [`Channel ${n}`, n % 2 === 0 ? 'before' : 'after'] as const
      const input = { spaceId: home, title, id: `made-${n}` }
      first.crashAt(n, side)
      const before = first.crashes
      void first.request('addToSpace', input).catch(() => undefined)
      await world.run(30_000)
      // A process that dies never answers: a face asks again.
      if (first.crashes > before) await world.until(first.request('addToSpace', input))
      else first.crashAt(Number.POSITIVE_INFINITY, side)
      crashes += first.crashes - before
      await world.run(30_000)
      made.push(title)
      for (const device of [first, ...others]) {
        expect(await shownIn(device), `write ${n}, ${side}, ${device.name}`).toEqual([...made].sort())
        expect(await membersOn(device, title)).toEqual(['ann owner', 'bea', 'cid'])
      }
      expect((await first.store().get('channels', (await channelOn(first, title)).id))?.toList).toBeUndefined()
    }
    expect(crashes).toBeGreaterThan(9)
  })
})
