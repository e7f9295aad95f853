import { describe, expect, it } from 'vitest'
import { listLoggedDevices } from '#app/log/devices.ts'
import { NOTES } from '#app/log/notes.ts'
import { say, textsOf } from '../support/sim/meet.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { FAIR, FOUL } from '../support/sim/sim-relay.ts'
import { twin } from '../support/sim/twin.ts'
import { World } from '../support/sim/world.ts'

async function twoDevices(seed: number): Promise<{ world: World; ann: SimDevice; second: SimDevice }> {
  const world = await World.make(seed)
  const ann = await world.device('ann')
  await world.until(ann.request('createIdentity', { name: 'Ann', deviceName: 'laptop', deviceKind: 'web' }))
  await world.run(10_000)
  const second = await twin(world, ann, 'phone')
  await world.run(10_000)
  return { world, ann, second }
}

async function statesOf(device: SimDevice): Promise<string[]> {
  return (await device.lines(NOTES)).map((line) => (line.kind === 'text' ? `${line.text} ${line.state}` : line.kind))
}

describe('the log of an account with two devices', () => {
  it('[L-02] a note is written without a connection, waits until the log has it, and is then on the other device', async () => {
    const { world, ann, second } = await twoDevices(71)
    ann.goAway()
    await say(ann, NOTES, 'milk')
    await world.run(10_000)
    expect(await statesOf(ann)).toEqual(['milk waiting'])
    ann.comeBack()
    await world.run(10_000)
    expect(await statesOf(ann)).toEqual(['milk sent'])
    expect(await statesOf(second)).toEqual(['milk sent'])
    expect((await second.face().channels()).find(({ kind }) => kind === 'notes')).toMatchObject({
      lastText: 'milk',
      lastState: 'sent',
      unread: 0,
    })
  })

  it('[L-01] [L-02] two devices that write a weekend apart have the same notes in one order, each once', async () => {
    const { world, ann, second } = await twoDevices(72)
    for (const device of [ann, second]) device.goAway()
    const written: string[] = []
    for (let i = 0; i < 40; i++) {
      const device = world.random.pick([ann, second])
      written.push(`note ${i}`)
      await say(device, NOTES, `note ${i}`)
      await world.run(world.random.below(3_600_000))
    }
    for (const device of [second, ann]) {
      device.comeBack()
      await world.run(30_000)
    }
    expect(await textsOf(ann, NOTES)).toEqual(written)
    expect(await textsOf(second, NOTES)).toEqual(written)
    const log = await ann.store().get('meta', 'log')
    expect(await second.store().get('meta', 'log')).toMatchObject({ position: log?.kind === 'log' && log.position })
  })

  it('[L-01] of two changes of one setting the later one holds everywhere, whoever connects first', async () => {
    const { world, ann, second } = await twoDevices(73)
    const settings = await ann.face().settings()
    for (const device of [ann, second]) device.goAway()
    await ann.face().saveSettings({ ...settings, theme: 'dark' })
    await world.run(3_600_000)
    await second.face().saveSettings({ ...settings, theme: 'light' })
    await world.run(3_600_000)
    second.comeBack()
    await world.run(30_000)
    ann.comeBack()
    await world.run(30_000)
    expect((await ann.face().settings()).theme).toBe('light')
    expect((await second.face().settings()).theme).toBe('light')
  })

  it('[K-07] each knows the other by its name, the day it was there, and what shuts its mailbox', async () => {
    const { ann, second } = await twoDevices(74)
    for (const device of [ann, second]) {
      const known = await listLoggedDevices(device.store())
      expect(known.map(({ name }) => name).sort()).toEqual(['laptop', 'phone'])
      expect(known.every(({ seenDay, closer }) => seenDay === 20_454 && closer !== undefined)).toBe(true)
    }
  })

  it('[L-01] crashes and a foul network lose no note and double none', async () => {
    const { world, ann, second } = await twoDevices(75)
    world.weather = FOUL
    for (const device of [ann, second]) device.crashChance = 0.05
    const written: string[] = []
    for (let i = 0; i < 60; i++) {
      written.push(`note ${i}`)
      await say(world.random.pick([ann, second]), NOTES, `note ${i}`)
      await world.run(world.random.below(4_000))
    }
    for (const device of [ann, second]) device.crashChance = 0
    world.weather = FAIR
    for (const device of [ann, second]) device.lose() // a push that was lost is made good by the next connection
    await world.run(200_000)
    expect(ann.crashes + second.crashes).toBeGreaterThan(5)
    for (const device of [ann, second]) {
      expect((await textsOf(device, NOTES)).toSorted()).toEqual(written.toSorted())
      expect(await device.store().list('deltas', { of: 'waiting' })).toEqual([])
    }
    expect(await textsOf(ann, NOTES)).toEqual(await textsOf(second, NOTES))
  })
})
