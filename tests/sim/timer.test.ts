import { describe, expect, it } from 'vitest'
import { readArchive } from '#app/archive/read-archive.ts'
import { openRow } from '#app/log/open-row.ts'
import { readOwnLog } from '#app/log/own-log.ts'
import { newest } from '#core/keys/key-ring.ts'
import { groupIdOf } from '../support/sim/many-devices.ts'
import { invite, say, textsOf } from '../support/sim/meet.ts'
import { identity, personId, personIds } from '../support/sim/people.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { twin } from '../support/sim/twin.ts'
import { World } from '../support/sim/world.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

type Timed = {
  readonly world: World
  readonly ann: SimDevice
  readonly bea: SimDevice
  readonly ofAnn: string
  readonly ofBea: string
}

/** A group of two whose messages vanish after an hour; something lasting was said before. */
async function timed(seed: number, timerMs = HOUR_MS): Promise<Timed> {
  const world = await World.make(seed)
  const [ann, bea] = [await identity(world, 'ann'), await identity(world, 'bea')]
  await world.until(ann.request('acceptInvitation', { link: await invite(world, bea) }))
  await world.run(60_000)
  const members = await personIds([bea])
  const { channelId: ofAnn } = await world.until(ann.request('createGroup', { title: 'Walks', members }))
  await world.run(90_000)
  const ofBea = await groupIdOf(bea)
  await say(ann, ofAnn, 'this stays')
  await world.run(5_000)
  await world.until(ann.request('setProfile', { channelId: ofAnn, change: { timerMs } }))
  await world.run(30_000)
  return { world, ann, bea, ofAnn, ofBea }
}

/** Whatever of a message is anywhere on a device's disk. */
async function traces(device: SimDevice, word: string): Promise<string[]> {
  const store = device.store()
  const found: string[] = []
  const tables = ['lines', 'blocks', 'outbox', 'channels', 'intents', 'deltas', 'drafts'] as const
  for (const table of tables) {
    for (const { record } of await store.list(table)) {
      const text = JSON.stringify(record, (_, value) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
      )
      if (text.includes(word)) found.push(table)
    }
  }
  return found
}

/** Texts of all that lies in an account's log, as whoever has its keys reads it. */
async function logOf(world: World, device: SimDevice): Promise<string[]> {
  const own = await readOwnLog({ store: device.store(), dice: world.random.dice })
  if (own === undefined) throw new Error('no log')
  const caller = world.relay.connect(() => {})
  const texts: string[] = []
  for (let after = 0; ; ) {
    const token = newest(own.ring).logToken
    const { entries, more } = await caller.call('log.fetch', { address: own.address, token, after })
    for (const row of entries) {
      for (const { delta } of (await openRow(own, row))?.told ?? []) if (delta.kind === 'line') texts.push(delta.text)
      after = row.position
    }
    if (!more || entries.length === 0) return texts
  }
}

const view = async (device: SimDevice, id: string) => (await device.face().channels()).find((one) => one.id === id)

describe('a timer', () => {
  it('[M-04] [VAN1] [VAN2] takes messages away at everybody, by each one’s clock, with what the list shows of them; what was before stays', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await timed(4301)
    await say(bea, ofBea, 'gone in an hour')
    await world.run(30_000)
    for (const [device, id] of [
      [ann, ofAnn],
      [bea, ofBea],
    ] as const) {
      expect(await textsOf(device, id)).toEqual(['this stays', 'gone in an hour'])
      expect(await view(device, id)).toMatchObject({ lastText: 'gone in an hour' })
      const line = (await device.lines(id)).find((one) => one.kind === 'text' && one.text === 'gone in an hour')
      const left = line?.kind === 'text' ? (line.vanishesAtMs ?? 0) - world.timeline.nowMs : 0
      expect(Math.abs(left - HOUR_MS)).toBeLessThan(60_000)
    }
    expect(await view(ann, ofAnn)).toMatchObject({ unread: 1 })
    await world.run(HOUR_MS - 60_000)
    expect(await textsOf(ann, ofAnn)).toHaveLength(2)
    await world.run(60_000)
    for (const [device, id] of [
      [ann, ofAnn],
      [bea, ofBea],
    ] as const) {
      expect(await textsOf(device, id)).toEqual(['this stays'])
      expect(await traces(device, 'gone in')).toEqual([])
      expect(await view(device, id)).toMatchObject({ lastText: 'this stays' })
    }
    expect(await view(ann, ofAnn), 'what is gone is not unread').toMatchObject({ unread: 0 })
    expect(await view(bea, ofBea), 'what is left is').toMatchObject({ unread: 1 })
    const notices = (await ann.lines(ofAnn)).filter((line) => line.kind === 'group')
    expect(
      notices.map((line) => line.kind === 'group' && line.notice),
      'that it is so stays',
    ).toContain('timer')
  })

  it('[VAN1] is the one that the channel has when a message goes out, and none once it is taken away', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await timed(4302)
    bea.goAway()
    await say(bea, ofBea, 'written with the old timer')
    await world.until(ann.request('setProfile', { channelId: ofAnn, change: { timerMs: 0 } }))
    await world.run(10_000)
    bea.comeBack()
    await world.run(30_000)
    await world.run(2 * HOUR_MS)
    for (const [device, id] of [
      [ann, ofAnn],
      [bea, ofBea],
    ] as const) {
      expect(await textsOf(device, id)).toEqual(['this stays', 'written with the old timer'])
    }
  })

  it('[VAN2] runs from when a message came: who was away reads it, and then it goes', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await timed(4303)
    bea.goAway()
    await say(ann, ofAnn, 'gone in an hour')
    await world.run(3 * HOUR_MS)
    expect(await textsOf(ann, ofAnn)).toEqual(['this stays'])
    bea.comeBack()
    await world.run(30_000)
    expect(await textsOf(bea, ofBea)).toEqual(['this stays', 'gone in an hour'])
    await world.run(HOUR_MS)
    expect(await textsOf(bea, ofBea)).toEqual(['this stays'])
  })

  it('[VAN3] has run out while no program ran: they go as it starts, without a connection, and also where one has left', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await timed(4304)
    await say(ann, ofAnn, 'gone in an hour')
    await world.run(30_000)
    await world.until(bea.request('leaveChannel', { channelId: ofBea }))
    await world.run(30_000)
    expect(await traces(bea, 'gone in')).toContain('lines')
    for (const [device, id] of [
      [ann, ofAnn],
      [bea, ofBea],
    ] as const) {
      device.kill()
      // As if hours had gone by.
      const store = device.store()
      await store.takeOver()
      const [row] = await store.list('vanishing', { of: id })
      if (row === undefined) throw new Error('nothing is to vanish')
      await store.write([
        { delete: 'vanishing', key: row.key },
        { put: 'vanishing', key: [id, world.timeline.nowMs - 1], record: row.record },
      ])
      expect(await traces(device, 'gone in')).toContain('lines')
      await world.run(1_000)
      expect(await traces(device, 'gone in'), device.name).toEqual([])
    }
  })

  it('[VAN3] at whatever write the program dies', async () => {
    for (let n = 1; n <= 4; n++) {
      const { world, ann, bea, ofAnn, ofBea } = await timed(4310 + n)
      await say(ann, ofAnn, 'gone in an hour')
      await world.run(HOUR_MS - 60_000)
      bea.crashAt(n, 'before')
      ann.crashAt(n, 'after')
      await world.run(2 * HOUR_MS)
      expect(await textsOf(ann, ofAnn), `write ${n}`).toEqual(['this stays'])
      expect(await textsOf(bea, ofBea), `write ${n}`).toEqual(['this stays'])
    }
  }, 60_000)

  it('[VAN4] [L-01] holds on all devices of an account, and for one that comes later; nothing comes back by the log', async () => {
    const { world, ann, ofAnn, bea, ofBea } = await timed(4305)
    const second = await twin(world, ann, 'ann 2')
    await world.run(180_000)
    await say(bea, ofBea, 'gone in an hour')
    await world.run(30_000)
    const ofSecond = await groupIdOf(second)
    expect(await textsOf(second, ofSecond)).toContain('gone in an hour')
    second.goAway()
    await say(bea, ofBea, 'gone as well')
    await world.run(2 * HOUR_MS)
    expect(await textsOf(ann, ofAnn)).toEqual(['this stays'])
    second.comeBack() // it has the message from the channel only now, and tells the log so
    await world.run(60_000)
    expect(await textsOf(second, ofSecond)).toContain('gone as well')
    expect(await textsOf(ann, ofAnn)).toEqual(['this stays'])
    await world.run(2 * HOUR_MS)
    const third = await twin(world, ann, 'ann 3')
    await world.run(180_000)
    for (const device of [ann, second, third]) {
      expect(await textsOf(device, await groupIdOf(device)), device.name).toContain('this stays')
      expect(await traces(device, 'gone '), device.name).toEqual([])
    }
  })

  it('[VAN5] [LGE5] pages of the log hold none of them; what is left of their time is carried on', async () => {
    const { world, ann, ofAnn } = await timed(4306, 7 * DAY_MS)
    await say(ann, ofAnn, 'gone in a week')
    await world.run(10_000)
    for (let i = 0; i < 120; i++) {
      await say(ann, 'notes', `note ${i}`)
      await world.run(5_000)
    }
    const covered = world.relay.dump().some(({ table, rows }) => table === 'log' && rows.length < 100)
    expect(covered, 'a page was made').toBe(true)
    const fresh = await twin(world, ann, 'ann 2')
    await world.run(180_000)
    expect(await textsOf(fresh, await groupIdOf(fresh))).toContain('gone in a week')
    await world.run(7 * DAY_MS)
    expect(await traces(fresh, 'gone in')).toEqual([])
    const later = await twin(world, ann, 'ann 3')
    await world.run(180_000)
    expect(await textsOf(later, await groupIdOf(later))).toContain('this stays')
    expect(await traces(later, 'gone in')).toEqual([])
  }, 60_000)

  it('[VAN5] [LGC9] leaves nothing of a message in the log at the relay a few days after it has vanished', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await timed(4309)
    await say(ann, ofAnn, 'gone in an hour')
    await say(bea, ofBea, 'gone as well')
    await world.run(30_000)
    expect((await logOf(world, ann)).filter((text) => /gone/.test(text)).length).toBeGreaterThan(0)
    for (let day = 0; day < 3; day++) {
      await world.run(DAY_MS)
      for (const device of [ann, bea]) await device.request('wake', null)
    }
    await world.run(30_000)
    for (const device of [ann, bea]) {
      const texts = await logOf(world, device)
      expect(
        texts.filter((text) => /gone/.test(text)),
        device.name,
      ).toEqual([])
      expect(texts, 'what stays is there').toContain('this stays')
    }
  })

  it('[VAN6] [C-11] [L-03] what is to vanish is not shared, and in no archive', async () => {
    const { world, ann, ofAnn } = await timed(4308)
    await say(ann, ofAnn, 'gone in an hour')
    await world.run(10_000)
    const cid = await identity(world, 'cid')
    await world.until(ann.request('acceptInvitation', { link: await invite(world, cid) }))
    await world.run(30_000)
    await world.until(ann.request('addMembers', { channelId: ofAnn, ids: await personIds([cid]) }))
    await world.run(60_000)
    expect(await ann.face().earlierHistory(ofAnn, await personId(cid))).toMatchObject({ all: 1 })
    const written: string[] = []
    for await (const line of readArchive(ann.store(), world.random.dice, () => {})) written.push(line)
    expect(written.some((line) => line.includes('this stays'))).toBe(true)
    expect(written.some((line) => line.includes('gone in'))).toBe(false)
  })
})
