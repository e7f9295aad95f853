import { describe, expect, it } from 'vitest'
import { groupIdOf } from '../support/sim/many-devices.ts'
import { say, textsOf } from '../support/sim/meet.ts'
import { circle, personIds } from '../support/sim/people.ts'

describe('a group', () => {
  it('[C-01] [C-02] is made with people by their published key packages, in one commit, while they are away', async () => {
    const { world, first, others } = await circle(11, ['ann', 'bea', 'cid', 'dan'])
    for (const other of others) other.goAway()
    const commits: string[] = []
    world.onRequest((_, operation) => {
      if (operation === 'channel.commit') commits.push(operation)
    })
    const members = await personIds(others)
    const { channelId } = await world.until(first.request('createGroup', { title: 'Walks', members }))
    await say(first, channelId, 'hello all')
    await world.run(5_000)
    expect(commits).toHaveLength(1)
    for (const other of others) other.comeBack()
    await world.run(60_000)
    for (const other of others) {
      const id = await groupIdOf(other)
      expect(await textsOf(other, id)).toEqual(['hello all'])
      await say(other, id, `hello from ${other.name}`)
    }
    await world.run(60_000)
    for (const device of [first, ...others]) {
      const texts = await textsOf(device, await groupIdOf(device))
      expect(texts.sort()).toEqual(['hello all', 'hello from bea', 'hello from cid', 'hello from dan'])
    }
  })

  it('[MLS10] is made with somebody of whom only the last resort is left, twice, and both conversations go on', async () => {
    const { world, first, others } = await circle(12, ['ann', 'bea'])
    const [bea] = others
    const account = await bea?.store().get('meta', 'account')
    if (bea === undefined || account?.kind !== 'account') throw new Error('unreachable')
    bea.goAway()
    const stranger = world.relay.connect(() => {})
    for (let i = 0; i < 16; i++) await stranger.call('packages.take', { account: account.account })
    const members = await personIds([bea])
    const ids: string[] = []
    for (const title of ['Walks', 'Runs']) {
      ids.push((await world.until(first.request('createGroup', { title, members }))).channelId)
      await world.run(5_000)
    }
    bea.comeBack()
    await world.run(60_000)
    for (const [i, id] of ids.entries()) await say(first, id, `in group ${i}`)
    await world.run(30_000)
    const groups = (await bea.face().channels()).filter(({ kind }) => kind === 'group')
    expect(groups.map(({ title, lastText }) => [title, lastText]).sort()).toEqual([
      ['Runs', 'in group 1'],
      ['Walks', 'in group 0'],
    ])
    const device = await bea.store().get('meta', 'device')
    if (device?.kind !== 'device') throw new Error('unreachable')
    const left = await stranger.call('packages.count', { account: account.account, device: device.deviceId })
    expect(left).toEqual({ left: 16, lastResort: true })
    const resorts = (await bea.store().list('packages')).filter(({ record }) => record.lastResort)
    const used = resorts.map(({ record }) => record.used === true).sort()
    expect(used, 'another one lies there now, and one of the classical suite').toEqual([false, false, true])
  })

  it('[U-03] that is asked for again after a lost answer is made once', async () => {
    const { world, first, others } = await circle(13, ['ann', 'bea'])
    const input = { title: 'Walks', members: await personIds(others), id: 'chosen-by-a-face' }
    const asked = [first.request('createGroup', input), first.request('createGroup', input)]
    const made = { channelId: input.id, missing: [] }
    expect(await world.until(Promise.all(asked))).toEqual([made, made])
    await world.until(first.request('createGroup', input))
    await world.run(60_000)
    for (const device of [first, ...others]) {
      expect((await device.face().channels()).filter(({ kind }) => kind === 'group')).toHaveLength(1)
    }
  })
})
