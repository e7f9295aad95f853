import { describe, expect, it } from 'vitest'
import { toBase64url } from '#core/bytes/base64url.ts'
import { SUITE_CLASSICAL } from '#core/mls/index.ts'
import type { ArgsOf } from '#core/wire/operations.ts'
import { groupIdOf } from '../support/sim/many-devices.ts'
import { say, textsOf } from '../support/sim/meet.ts'
import { watchNonces } from '../support/sim/nonce-checker.ts'
import { acquaint, identity, personIds } from '../support/sim/people.ts'
import { knows, phantoms } from '../support/sim/phantoms.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { twin } from '../support/sim/twin.ts'
import { World } from '../support/sim/world.ts'

type Large = { readonly world: World; readonly ann: SimDevice; readonly bea: SimDevice; readonly cid: SimDevice }

/** Three who run, and so many who never do, in one group with classical keys: more than any commit leaves a state for. */
async function large(seed: number, silent: number): Promise<Large> {
  const world = await World.make(seed)
  const [ann, bea, cid] = [await identity(world, 'ann'), await identity(world, 'bea'), await identity(world, 'cid')]
  const caller = world.relay.connect(() => {})
  const { dice } = world.random.fork()
  const people = await phantoms(silent, { caller, dice, nowMs: world.timeline.nowMs, suite: SUITE_CLASSICAL })
  await acquaint(world, ann, [bea, cid])
  for (const device of [bea, cid]) await acquaint(world, device, [ann])
  await knows(ann, people)
  await world.run(10_000)
  const members = [...(await personIds([bea, cid])), ...people.map(({ account }) => toBase64url(account))]
  await world.until(ann.request('createGroup', { title: 'Everybody', members, large: true }), 600_000)
  await world.run(120_000)
  return { world, ann, bea, cid }
}

/** What its disk has of the group can't be read any more. */
async function loseState(device: SimDevice): Promise<string> {
  const id = await groupIdOf(device)
  device.kill()
  const rows = await device.store().list('epochs', { of: id })
  await device.disk.write(
    rows.map(({ key }) => ({ delete: 'epochs', key }) as const),
    undefined,
  )
  return id
}

async function stateOf(device: SimDevice): Promise<string> {
  return (await device.store().get('channels', await groupIdOf(device)))?.state ?? ''
}

describe('a group of more than 64 devices', () => {
  const SILENT = 64
  let asked: string[]
  let many: Large
  const count = (operation: string) => asked.filter((one) => one.endsWith(operation)).length

  async function begin(seed: number): Promise<void> {
    many = await large(seed, SILENT)
    asked = []
    many.world.onRequest((device, operation) => void asked.push(`${device.name} ${operation}`))
  }

  it('[C-07] [BCK6] a device that lost its state asks for it and is in by what one of the members leaves, with no commit but its own', async () => {
    await begin(61)
    const { world, ann, bea } = many
    await say(ann, await groupIdOf(ann), 'before')
    await world.run(20_000)
    const id = await loseState(bea)
    await say(ann, await groupIdOf(ann), 'into the dark')
    await world.run(10 * 60_000)
    expect(await stateOf(bea)).toBe('open')
    // Later ones are of newcomers whose turn came (HEAL5).
    const until = asked.slice(0, asked.indexOf('bea channel.enter'))
    expect(until.filter((one) => one.endsWith('channel.commit'))).toEqual([])
    expect([count('bea channel.enter'), count('channel.answer')]).toEqual([1, 1])
    await say(bea, id, 'here again')
    await world.run(30_000)
    for (const device of [ann, bea]) {
      const said = await textsOf(device, await groupIdOf(device))
      // That something may be missing stays said: nobody knows it of those who are silent.
      expect(said.filter((text) => text !== 'notice line')).toEqual(['before', 'into the dark', 'here again'])
    }
    const seats = async (device: SimDevice) => (await device.store().get('syncs', await groupIdOf(device)))?.seats
    expect(await seats(bea)).toEqual(await seats(ann))
  })

  it('[C-07] [BCK6] a device that was just set up comes in likewise, though nobody was there when it asked', async () => {
    await begin(62)
    const { world, ann, bea, cid } = many
    for (const device of [ann, bea, cid]) device.goAway()
    const phone = await twin(world, ann, 'phone')
    await world.run(60_000)
    ann.comeBack() // the log tells of the channel
    await world.run(20_000)
    ann.goAway()
    await world.run(5 * 60_000)
    expect(await stateOf(phone)).toBe('returning')
    expect(await phone.face().keyHealth()).toMatchObject([{ problems: [{ what: 'returning' }] }])
    cid.comeBack()
    await world.run(20 * 60_000)
    expect(await stateOf(phone)).toBe('open')
    await say(phone, await groupIdOf(phone), 'by phone')
    ann.comeBack()
    await world.run(30_000)
    for (const device of [ann, cid]) expect(await textsOf(device, await groupIdOf(device))).toContain('by phone')
  })

  it.each([
    ['state', 63],
    ['box', 67],
  ] as const)(
    '[C-07] [R-06] a %s of rubbish that a hostile member leaves is refused, and another one is asked',
    async (what, seed) => {
      await begin(seed)
      const { world, ann, bea, cid } = many
      let spoiled = 0
      world.onRequest((device, operation, args) => {
        if (operation !== 'channel.answer' || device !== cid) return
        spoiled++
        const { state } = args as ArgsOf<'channel.answer'>
        if (what === 'state') state.info.fill(7)
        else for (const { box } of state.boxes) box.fill(7)
      })
      ann.goAway() // cid is the first to answer
      await loseState(bea)
      for (let i = 0; i < 20 && spoiled === 0; i++) await world.run(60_000)
      expect(spoiled).toBe(1)
      await world.run(60_000)
      expect(await stateOf(bea)).toBe('returning')
      ann.comeBack()
      await world.run(20 * 60_000)
      expect(await stateOf(bea)).toBe('open')
      expect(spoiled).toBe(1)
    },
  )

  it('[C-05] [C-07] an account that was removed gets nothing by asking', async () => {
    await begin(64)
    const { world, ann, bea } = many
    const [ofBea = ''] = await personIds([bea])
    bea.goAway()
    await loseState(bea)
    await world.until(ann.request('removeMember', { channelId: await groupIdOf(ann), id: ofBea }))
    await world.run(60_000)
    bea.comeBack()
    await world.run(10 * 60_000)
    expect(await stateOf(bea)).toBe('paused')
    expect([count('channel.answer'), count('bea channel.enter')]).toEqual([0, 0])
  })

  it('[C-07] [M-09] a relay that keeps the state back holds the device out, which says so and goes on asking', async () => {
    await begin(65)
    const { world, bea } = many
    bea.forge = (operation) =>
      operation === 'channel.state'
        ? { at: 0, last: { position: 1, head: new Uint8Array(32) }, commits: 1, lastCommit: 1 }
        : undefined
    await loseState(bea)
    await world.run(30 * 60_000)
    expect(await stateOf(bea)).toBe('returning')
    expect(count('bea channel.ask')).toBeGreaterThan(20)
    expect(count('channel.answer')).toBeLessThanOrEqual(2) // two may begin at the same time
    bea.forge = () => undefined
    await world.run(10 * 60_000)
    expect(await stateOf(bea)).toBe('open')
  })

  it('[I-04] [I-05] whichever write of either side a crash is at, the device comes in', async () => {
    await begin(66)
    const { world, ann, bea, cid } = many
    const nonces = watchNonces(world)
    for (let n = 1; n <= 6; n++) {
      const side = n % 2 === 0 ? 'before' : 'after'
      const id = await loseState(bea)
      for (const device of [ann, bea, cid]) device.crashAt(n, side)
      await bea.write(id, `waiting ${n}`)
      await say(ann, await groupIdOf(ann), `into the dark ${n}`)
      await world.run(20 * 60_000)
      expect(await stateOf(bea), `write ${n}`).toBe('open')
      for (const device of [ann, bea, cid]) {
        const texts = await textsOf(device, await groupIdOf(device))
        expect(texts, `write ${n}`).toEqual(expect.arrayContaining([`waiting ${n}`, `into the dark ${n}`]))
      }
    }
    expect(await nonces.reused()).toEqual([])
  }, 120_000)
})
