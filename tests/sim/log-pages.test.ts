import { describe, expect, it } from 'vitest'
import { NOTES } from '#app/log/notes.ts'
import { RelayError } from '#core/errors.ts'
import { crashSides } from '../support/sim/crash-sides.ts'
import { say, textsOf } from '../support/sim/meet.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { World } from '../support/sim/world.ts'

const input = { deviceName: 'another', deviceKind: 'web' } as const

async function writer(seed: number, notes: number) {
  const world = await World.make(seed)
  const ann = await world.device('ann')
  await world.until(ann.request('createIdentity', { name: 'Ann', deviceName: 'laptop', deviceKind: 'web' }))
  await world.run(10_000)
  const written: string[] = []
  const write = async (many: number): Promise<void> => {
    for (let i = 0; i < many; i++) {
      written.push(`note ${written.length}`)
      await say(ann, NOTES, written.at(-1) ?? '')
      await world.run(1_000)
    }
  }
  await write(notes)
  const words = (await ann.request('revealPhrase', null)).join(' ')
  const ask = (device: SimDevice) => device.request('restore', { key: { by: 'phrase', words }, ...input })
  const restore = async (name: string): Promise<SimDevice> => {
    const device = await world.device(name)
    await world.until(ask(device))
    return device
  }
  return { world, ann, written, write, ask, restore }
}

function entriesOf(world: World): number {
  const log = world.relay.dump().filter(({ table, object }) => table === 'entries' && object.startsWith('LOG'))
  return log.reduce((sum, { rows }) => sum + rows.length, 0)
}

describe('pages in place of entries', () => {
  it('[LOG5] [K-03] many entries become few, and a device that comes back reads all of them from the pages', async () => {
    const { world, ann, written, restore } = await writer(91, 300)
    expect(entriesOf(world)).toBeLessThan(120)
    const fresh = await restore('fresh')
    await world.run(30_000)
    expect(await textsOf(fresh, NOTES)).toEqual(written)
    expect(await fresh.face().work()).toEqual([])
    expect((await fresh.face().settings()).theme).toBe((await ann.face().settings()).theme)
  })

  it('[L-01] [LGE4] a device that was away while entries became pages has each of them once', async () => {
    const { world, written, write, restore } = await writer(92, 10)
    const second = await restore('second')
    await world.run(10_000)
    second.goAway()
    await write(200)
    await say(second, NOTES, 'written meanwhile')
    second.comeBack()
    await world.run(30_000)
    expect((await textsOf(second, NOTES)).toSorted()).toEqual([...written, 'written meanwhile'].toSorted())
    const log = await second.store().get('meta', 'log')
    expect(log?.kind === 'log' && log.gaps).toBe(undefined)
  })

  it('[U-06] [K-03] reading the history is stopped and goes on where it was', async () => {
    const { world, written, ask } = await writer(93, 125)
    const fresh = await world.device('fresh')
    let asked = 0
    world.onRequest((device, operation) => {
      // Once for the name, once for the end, then the history itself.
      if (device === fresh && operation === 'log.back' && ++asked === 3) {
        void fresh.request('cancelWork', { kind: 'restore' })
      }
    })
    await world.until(ask(fresh))
    await world.run(20_000)
    expect(await fresh.face().work()).toMatchObject([{ kind: 'restore', state: 'stopped' }])
    expect((await textsOf(fresh, NOTES)).length).toBeLessThan(125)
    await fresh.request('resumeWork', { kind: 'restore' })
    await world.run(20_000)
    expect(await textsOf(fresh, NOTES)).toEqual(written)
    expect(await fresh.face().work()).toEqual([])
  })

  it('[LGC7] [LGE4] what another device puts into a page while the history is read is not named as missing', async () => {
    const { world, written, write, ask } = await writer(95, 40)
    const fresh = await world.device('fresh')
    let asked = 0
    world.onRequest((device, operation) => {
      if (device === fresh && operation === 'log.back' && ++asked === 3) {
        void fresh.request('cancelWork', { kind: 'restore' })
      }
    })
    await world.until(ask(fresh))
    await world.run(5_000)
    expect(await fresh.face().work()).toMatchObject([{ kind: 'restore', state: 'stopped' }])
    // It hears of the page late.
    fresh.forge = (operation) =>
      operation === 'log.fetch' ? new RelayError('relay/busy', { retryable: true }) : undefined
    await write(70)
    expect(entriesOf(world)).toBeLessThan(60)
    await fresh.request('resumeWork', { kind: 'restore' })
    await world.run(5_000)
    const going = expect.stringMatching('running|waiting')
    expect(await fresh.face().work()).toMatchObject([{ kind: 'restore', state: going }])
    fresh.forge = () => undefined
    await world.run(90_000)
    expect(await textsOf(fresh, NOTES)).toEqual(written)
    expect(await fresh.face().work()).toEqual([])
  })

  it('[K-03] [L-01] a restore that crashes at each of its writes, before it or after it, ends with all of it, once', async () => {
    const { world, written, ask } = await writer(94, 90)
    let deepest = 0
    for (let at = 1; deepest === at - 1 && at < 30; at++) {
      for (const side of crashSides(at)) {
        const device = await world.device(`fresh ${at} ${side}`)
        device.crashAt(at, side)
        ask(device).catch(() => undefined) // a crash leaves it without an answer
        await world.run(6_000)
        if (device.crashes > 0) deepest = at
        device.crashAt(0, 'before')
        if ((await device.face().account()).state === 'none') await world.until(ask(device))
        await world.run(10_000)
        expect(await textsOf(device, NOTES), device.name).toEqual(written)
        device.goAway()
      }
    }
    expect(deepest).toBeGreaterThan(10)
  })
})
