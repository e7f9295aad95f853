import { describe, expect, it } from 'vitest'
import type { ContextChange } from '#core/mls/channel-context.ts'
import { changeContext, toExtension } from '#core/mls/channel-context.ts'
import { type Group, members, ownMember } from '#core/mls/index.ts'
import { POST_ID_BYTES, type PostId } from '#core/wire/ids.ts'
import { envelopeTo } from '../support/relay/person.ts'
import { commitForged } from '../support/sim/forged-commit.ts'
import { groupIdOf } from '../support/sim/many-devices.ts'
import { say, textsOf } from '../support/sim/meet.ts'
import { viewOf, viewsOf } from '../support/sim/one-view.ts'
import { circle, personIds } from '../support/sim/people.ts'
import { remove } from '../unit/core/mls/forge.ts'

async function gather(seed: number) {
  const { world, first, others } = await circle(seed, ['ann', 'bea', 'cid', 'dan'])
  const ids = await personIds(others)
  const { channelId } = await world.until(first.request('createGroup', { title: 'Walks', members: ids }))
  await world.run(90_000)
  const [bea] = others
  if (bea === undefined) throw new Error('unreachable')
  return { world, first, others, bea, devices: [first, ...others], channelId, ofBea: await groupIdOf(bea) }
}

const changed = (group: Group, change: ContextChange) => [
  {
    proposalType: 'group_context_extensions' as const,
    groupContextExtensions: { extensions: [toExtension(changeContext(group.context, change))] },
  },
]

describe('a member who follows no rules', () => {
  it('[C-04] can neither rise, rename, remove nor take back: each is void for all, and the channel goes on', async () => {
    const { world, first, devices, bea, channelId, ofBea } = await gather(51)
    const attempts = [
      (group: Group) => {
        const roles = [{ account: ownMember(group).account, role: 'owner' as const }]
        return { roles, proposals: changed(group, { roles }) }
      },
      (group: Group) => {
        const profile = { title: 'Mine' }
        return { profile, proposals: changed(group, { profile }) }
      },
      (group: Group) => ({ proposals: changed(group, { profile: { title: 'Mine' } }) }),
      (group: Group) => {
        const other = members(group).find(({ role, leaf }) => role === 'member' && leaf !== ownMember(group).leaf)
        return { proposals: [remove(other?.leaf ?? -1)] }
      },
      (group: Group) => ({ proposals: [remove(0), ...changed(group, { gone: [] }).slice(1)] }),
    ]
    for (const attempt of attempts) {
      const [before] = await viewsOf(devices)
      const { epoch } = JSON.parse(before ?? '{}')
      await commitForged(world, bea, ofBea, attempt)
      await world.run(5_000)
      const view = JSON.parse(await viewOf(first))
      expect([view.title, view.seats.length, view.roles.filter((one: string) => one.endsWith('owner')).length]).toEqual(
        ['Walks', 4, 1],
      )
      expect(view.epoch - epoch, 'no epoch but by one who brings the state back').toBeLessThan(2)
      await world.run(60_000)
      expect((await viewsOf(devices)).size).toBe(1)
    }
    await world.until(first.request('setProfile', { channelId, change: { title: 'Long walks' } }))
    await say(bea, ofBea, 'after all that')
    await world.run(30_000)
    for (const device of devices) expect(await textsOf(device, await groupIdOf(device))).toEqual(['after all that'])
    expect(JSON.parse(await viewOf(bea)).title).toBe('Long walks')
  })

  it('[C-03] [I-15] a seat that floods with rubbish commits holds nobody up for long', async () => {
    const { world, first, devices, bea, channelId, ofBea } = await gather(52)
    let rubbish = 0
    const flood = async (): Promise<void> => {
      const sync = await bea.store().get('syncs', ofBea)
      if (sync === undefined || rubbish >= 40) return
      const { address, seat, token, cursor, head, lastCommit } = sync
      const id = world.random.dice(POST_ID_BYTES) as PostId
      const known = { position: cursor, head }
      const offered = {
        id,
        after: lastCommit,
        envelope: envelopeTo(address),
        seats: { add: [], remove: [] },
        welcomes: [],
      }
      await world.relay
        .connect(() => {})
        .call('channel.commit', { address, seat, token, known, ...offered })
        .then(
          () => rubbish++,
          () => undefined,
        )
      world.timeline.plan(150, () => void flood())
    }
    void flood()
    await world.until(first.request('setProfile', { channelId, change: { title: 'Long walks' } }))
    await say(first, channelId, 'in the flood')
    await world.run(120_000)
    expect(rubbish).toBeGreaterThan(15)
    expect([...(await viewsOf(devices))]).toHaveLength(1)
    for (const device of devices) expect(await textsOf(device, await groupIdOf(device))).toEqual(['in the flood'])
    expect(JSON.parse(await viewOf(bea)).title).toBe('Long walks')
  })
})

describe('who is gone', () => {
  it('[I-15] the most active committer never comes back: the others commit, add and remove as before', async () => {
    const { world, first, others, bea, channelId, ofBea } = await gather(53)
    await world.until(first.request('setRole', { channelId, id: (await personIds([bea]))[0] ?? '', role: 'owner' }))
    await world.run(30_000)
    for (let i = 0; i < 5; i++) {
      await world.until(first.request('heal', { channelId }))
      await world.run(5_000)
    }
    await world.until(first.request('heal', { channelId }))
    first.goAway() // with a commit staged or just sent
    await world.run(30_000)
    await world.until(bea.request('setProfile', { channelId: ofBea, change: { topic: 'without ann' } }))
    const [annId = ''] = await personIds([first])
    await world.until(bea.request('removeMember', { channelId: ofBea, id: annId }))
    await say(bea, ofBea, 'on we go')
    await world.run(60_000)
    expect((await viewsOf(others)).size).toBe(1)
    for (const device of others) {
      const id = await groupIdOf(device)
      expect(await textsOf(device, id)).toEqual(['on we go'])
      expect((await device.face().channelDetails(id)).members.map(({ name }) => name)).not.toContain('ann')
    }
  })
})

describe('a crash while a group is made', () => {
  it('[I-14] at any write, before or after it: everybody is in, once', { timeout: 240_000 }, async () => {
    for (let n = 1; n <= 8; n++) {
      const side = n % 2 === 0 ? 'before' : 'after'
      const { world, first, others } = await circle(60 + n, ['ann', 'bea', 'cid'])
      const ids = await personIds(others)
      await world.until(first.request('createGroup', { title: 'Walks', members: ids }))
      first.crashAt(n, side)
      await world.run(120_000)
      for (const other of others) {
        const groups = (await other.face().channels()).filter(({ kind }) => kind === 'group')
        expect(
          groups.map(({ title }) => title),
          `write ${n}, ${side}`,
        ).toEqual(['Walks'])
      }
      expect((await viewsOf([first, ...others])).size).toBe(1)
    }
  })
})
