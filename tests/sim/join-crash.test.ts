import { describe, expect, it } from 'vitest'
import { groupIdOf } from '../support/sim/many-devices.ts'
import { say, textsOf } from '../support/sim/meet.ts'
import { watchNonces } from '../support/sim/nonce-checker.ts'
import { identity } from '../support/sim/people.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { World } from '../support/sim/world.ts'

/** Writes of either side from the claim to the first words in the group; more than there are. */
const WRITES = 18

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
  const isAccepted = async () => (await cid.channelIds()).length > 0
  await insist(world, cid, () => cid.request('acceptInvitation', { link }), isAccepted)
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

const NAME = 'stave/public/walks'

/** Ann makes a named group, cid asks for it, ann says yes; one of the two dies at their `n`th write. */
async function askIn(n: number, side: 'before' | 'after', who: 'ann' | 'cid') {
  const world = await World.make(4_200 + n)
  const [ann, cid] = [await identity(world, 'ann'), await identity(world, 'cid')]
  await world.run(10_000)
  const nonces = watchNonces(world)
  const dies = who === 'ann' ? ann : cid
  dies.crashAt(n, side)
  const group = { title: 'Walks', members: [], name: NAME, id: 'by-a-face' }
  const isMade = async () => (await ann.store().get('channels', group.id)) !== undefined
  await insist(world, ann, () => ann.request('createGroup', group), isMade)
  await world.run(20_000)
  const isAsked = async () => (await cid.store().list('asks')).length > 0
  await insist(world, cid, () => cid.request('askToJoin', { name: NAME, note: 'hello' }), isAsked)
  await world.run(20_000)
  const waiting = async () => (await ann.face().joinRequests(group.id)).find(({ state }) => state === 'asked')
  await insist(
    world,
    ann,
    () => ann.request('lookForJoins', { channelId: group.id }),
    async () => (await waiting()) !== undefined,
  )
  const id = (await waiting())?.id ?? ''
  await insist(
    world,
    ann,
    () => ann.request('approveJoin', { id }),
    async () => (await waiting()) === undefined,
  )
  await world.run(150_000)
  const ofCid = await groupIdOf(cid)
  await say(ann, group.id, 'welcome')
  await say(cid, ofCid, 'thanks')
  await world.run(60_000)
  const named = (await ann.face().channelDetails(group.id)).named?.state
  const texts = [await textsOf(ann, group.id), await textsOf(cid, ofCid)].map((said) => said.sort().join())
  const request = (await cid.face().channels()).find((one) => one.id === ofCid)?.request
  const asked = (await cid.face().asked()).map(({ state }) => state)
  const left = world.relay.dump().find(({ table }) => table === 'asks')?.rows ?? []
  const waits = left.filter((row) => !row.includes(null)).length
  return {
    crashes: dies.crashes,
    named,
    texts,
    request,
    asked,
    waits,
    made: left.length,
    reused: await nonces.reused(),
  }
}

/** A process that dies never answers: asked again until it is done, as a person would. */
async function insist(
  world: World,
  device: SimDevice,
  ask: () => Promise<unknown>,
  isDone: () => Promise<boolean>,
): Promise<void> {
  for (let tries = 0; tries < 6 && !(await isDone()); tries++) {
    if (!device.running) await world.run(2_000)
    const waited = new Promise<void>((done) => world.timeline.plan(5_000, done))
    const asked = ask().catch(() => waited)
    await world.until(Promise.race([asked, waited]))
    await world.run(5_000)
  }
}

/** Every write, before it or after it, and the first few both (`npm run crashes:long`); in the common run each of them for one of the two who come in, by turns. */
function crashes(turn: 0 | 1): readonly (readonly [number, 'before' | 'after'])[] {
  const isLong = process.env.STAVE_ALL_CRASHES !== undefined
  return Array.from({ length: WRITES }, (_, i) => i + 1).flatMap((n) => {
    if (!isLong && n % 2 !== turn) return []
    const sides = n % 4 < 2 ? (['before', 'after'] as const) : (['after', 'before'] as const)
    return sides.slice(0, isLong && n <= 4 ? 2 : 1).map((side) => [n, side] as const)
  })
}

describe('coming into a group by its name', () => {
  for (const who of ['ann', 'cid'] as const) {
    it(`[C-09] [I-04] goes on wherever ${who === 'ann' ? 'whoever keeps the name' : 'the asker'} dies`, async () => {
      let died = 0
      for (const [n, side] of crashes(who === 'ann' ? 0 : 1)) {
        const outcome = await askIn(n, side, who)
        died += outcome.crashes
        expect(outcome, `${side} write ${n}`).toMatchObject({
          named: 'registered',
          texts: ['thanks,welcome', 'thanks,welcome'],
          request: undefined,
          asked: ['in'],
          waits: 0,
          made: 1, // sent again as it was
          reused: [],
        })
      }
      expect(died).toBeGreaterThan(6)
    }, 120_000)
  }
})

describe('coming into a group by an invitation', () => {
  for (const who of ['ann', 'cid'] as const) {
    it(`[C-12] [I-04] [I-14] goes on wherever ${who === 'ann' ? 'the inviter' : 'the claimer'} dies`, async () => {
      let died = 0
      for (const [n, side] of crashes(who === 'ann' ? 1 : 0)) {
        const outcome = await comeIn(n, side, who)
        died += outcome.crashes
        expect(outcome, `${side} write ${n}`).toMatchObject({
          groups: 1,
          texts: ['thanks,welcome', 'thanks,welcome'],
          invited: 'in',
          reused: [],
        })
      }
      expect(died).toBeGreaterThan(6)
    }, 120_000)
  }
})
