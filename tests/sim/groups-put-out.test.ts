import { describe, expect, it } from 'vitest'
import { circle, personId, personIds } from '../support/sim/people.ts'

describe('a group', () => {
  it('[C-05] [CHN15] whoever was added and put out again while away finds it over, and does not look for a way in for ever', async () => {
    const { world, first, others } = await circle(371, ['ann', 'bea', 'cid'])
    const [bea, cid] = others
    if (bea === undefined || cid === undefined) throw new Error('unreachable')
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
    const walks = (await cid.face().channels()).find(({ title }) => title === 'Walks')
    expect(walks).toMatchObject({ state: 'paused', left: 'removed' })
  })
})
