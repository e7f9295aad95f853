import { describe, expect, it } from 'vitest'
import { NOTES } from '#app/log/notes.ts'
import { InputError } from '#core/errors.ts'
import { newPhrase } from '#core/keys/phrase.ts'
import { meet, say, textsOf } from '../support/sim/meet.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { World } from '../support/sim/world.ts'

const input = { deviceName: 'new laptop', deviceKind: 'web' } as const

async function somebody(seed: number): Promise<{ world: World; ann: SimDevice; words: string }> {
  const world = await World.make(seed)
  const ann = await world.device('ann')
  await world.until(ann.request('createIdentity', { name: 'Ann', deviceName: 'laptop', deviceKind: 'web' }))
  await world.run(10_000)
  return { world, ann, words: (await ann.request('revealPhrase', null)).join(' ') }
}

async function restoreOn(world: World, name: string, words: string): Promise<SimDevice> {
  const device = await world.device(name)
  await world.until(device.request('restore', { key: { by: 'phrase', words }, ...input }))
  return device
}

describe('an account comes back from its words', () => {
  it('[K-03] who it is is shown before anything is made; then notes, settings and the manifest are there', async () => {
    const { world, ann, words } = await somebody(81)
    await say(ann, NOTES, 'milk')
    await ann.face().saveSettings({ ...(await ann.face().settings()), theme: 'dark' })
    await world.run(10_000)
    const fresh = await world.device('fresh')
    const found = await world.until(fresh.request('lookUp', { by: 'phrase', words: ` ${words.toUpperCase()} ` }))
    expect(found).toMatchObject({ name: 'Ann', devices: 1 })
    expect(await fresh.face().account()).toEqual({ state: 'none' })
    await world.until(fresh.request('restore', { key: { by: 'phrase', words }, ...input }))
    await world.run(10_000)
    expect(await fresh.face().account()).toMatchObject({ state: 'ready', name: 'Ann', backedUp: true, holdsRoot: true })
    expect(await textsOf(fresh, NOTES)).toEqual(['milk'])
    expect((await fresh.face().settings()).theme).toBe('dark')
    expect(await fresh.face().work()).toEqual([])
    expect((await ann.face().devices()).map(({ name }) => name).sort()).toEqual(['laptop', 'new laptop'])
    await say(fresh, NOTES, 'bread')
    await world.run(10_000)
    expect(await textsOf(ann, NOTES)).toEqual(['milk', 'bread'])
  })

  it('[K-03] names a wrong word, words that are nobody’s, a realm that is not there and data that are there', async () => {
    const { world, ann, words } = await somebody(82)
    const fresh = await world.device('fresh')
    const ask = (typed: string) => world.until(fresh.request('lookUp', { by: 'phrase', words: typed }))
    const [first = '', ...others] = words.split(' ')
    await expect(ask([first, 'xyzzy', ...others.slice(1)].join(' '))).rejects.toMatchObject({
      code: 'phrase/typo',
      detail: { position: 2 },
    })
    await expect(ask(others.join(' '))).rejects.toMatchObject({ code: 'phrase/count', detail: { count: 23 } })
    await expect(ask([...others, first].join(' '))).rejects.toMatchObject({ code: 'phrase/checksum' })
    await expect(ask(newPhrase(world.random.dice).join(' '))).rejects.toMatchObject({ code: 'restore/unknown' })
    expect(await fresh.face().account()).toEqual({ state: 'none' })
    await expect(ann.request('lookUp', { by: 'phrase', words })).rejects.toThrow(InputError)
    await expect(ann.request('restore', { key: { by: 'phrase', words }, ...input })).rejects.toMatchObject({
      code: 'restore/exists',
    })
    const away = await world.device('away')
    away.goAway()
    await expect(world.until(away.request('lookUp', { by: 'phrase', words }))).rejects.toMatchObject({
      code: 'relay/unreachable',
    })
  })

  it('[K-03] [L-01] conversations, contacts and what was said come back, in order and once', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(83)
    const words = (await ann.request('revealPhrase', null)).join(' ')
    const said: string[] = []
    for (let i = 0; i < 30; i++) {
      said.push(`message ${i}`)
      await say(i % 3 === 0 ? bea : ann, i % 3 === 0 ? ofBea : ofAnn, `message ${i}`)
      await world.run(3_000)
    }
    await world.run(20_000)
    const fresh = await restoreOn(world, 'fresh', words)
    await world.run(2_000)
    const [ofFresh = ''] = await fresh.channelIds()
    expect((await fresh.face().channels()).find(({ id }) => id === ofFresh)).toMatchObject({
      title: 'bea',
      kind: 'direct',
      lastText: 'message 29',
      unread: 0,
    })
    await world.run(30_000)
    const lines = await fresh.lines(ofFresh)
    expect(lines.flatMap((line) => (line.kind === 'text' ? [line.text] : []))).toEqual(said)
    expect(lines.map(({ author }) => author.mine)).toEqual((await ann.lines(ofAnn)).map(({ author }) => author.mine))
    expect((await fresh.store().list('contacts')).map(({ record }) => record.name)).toEqual(['bea'])
  })
})
