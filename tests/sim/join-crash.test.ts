import { describe, expect, it } from 'vitest'
import { groupIdOf } from '../support/sim/many-devices.ts'
import { say, textsOf } from '../support/sim/meet.ts'
import { watchNonces } from '../support/sim/nonce-checker.ts'
import { identity } from '../support/sim/people.ts'
import { World } from '../support/sim/world.ts'

/** Writes of either side from the claim to the first words in the group; more than there are. */
const WRITES = 24

/** Cid claims ann's invitation into her group, and one of the two dies at its `n`th write. */
async function comeIn(n: number, side: 'before' | 'after', who: 'ann' | 'cid') {
  const world = await World.make(4_100 + n)
  const [ann, cid] = [await identity(world, 'ann'), await identity(world, 'cid')]
  const { channelId } = await world.until(ann.request('createGroup', { title: 'Walks', members: [] }))
  await world.run(10_000)
  const { id } = await world.until(ann.request('createInvitation', { into: channelId, ask: false }))
  const link = (await ann.store().get('invitations', id))?.link ?? ''
  const nonces = watchNonces(world)
  const dies = who === 'ann' ? ann : cid
  dies.crashAt(n, side)
  // A process that dies never answers: asked again until it is done, as a person would.
  for (let tries = 0; tries < 5; tries++) {
    if (!cid.running) await world.run(2_000)
    const waited = new Promise<void>((done) => world.timeline.plan(5_000, done))
    await world.until(Promise.race([cid.request('acceptInvitation', { link }), waited]).catch(() => undefined))
    if ((await cid.channelIds()).length > 0) break
  }
  await world.run(150_000)
  const crashes = dies.crashes
  const ofCid = await groupIdOf(cid)
  await say(ann, channelId, 'welcome')
  await say(cid, ofCid, 'thanks')
  await world.run(60_000)
  const groups = (await cid.face().channels()).filter(({ kind }) => kind === 'group').length
  const texts = [await textsOf(ann, channelId), await textsOf(cid, ofCid)]
  const invited = (await ann.face().invitations()).find((one) => one.id === id)?.into?.state
  return { crashes, groups, texts: texts.map((said) => said.sort().join()), invited, reused: await nonces.reused() }
}

describe('coming into a group by an invitation', () => {
  for (const who of ['ann', 'cid'] as const) {
    it(`[C-12] [I-04] [I-14] goes on wherever ${who === 'ann' ? 'the inviter' : 'the claimer'} dies`, async () => {
      let died = 0
      for (let n = 1; n <= WRITES; n++) {
        const outcome = await comeIn(n, n % 2 === 0 ? 'before' : 'after', who)
        died += outcome.crashes
        expect(outcome, `at write ${n}`).toMatchObject({
          groups: 1,
          texts: ['thanks,welcome', 'thanks,welcome'],
          invited: 'in',
          reused: [],
        })
      }
      expect(died).toBeGreaterThan(12)
    }, 120_000)
  }
})
