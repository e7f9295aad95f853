import { describe, expect, it } from 'vitest'
import { readKeyRing } from '#app/account/key-ring.ts'
import { readAccount, readRealm } from '#app/account/read-account.ts'
import { NOTES } from '#app/log/notes.ts'
import { InputError } from '#core/errors.ts'
import { logAddressOf, newest } from '#core/keys/key-ring.ts'
import { newPhrase } from '#core/keys/phrase.ts'
import type { Address } from '#core/wire/ids.ts'
import type { ArgsOf } from '#core/wire/operations.ts'
import { meet, say, textsOf } from '../support/sim/meet.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { World } from '../support/sim/world.ts'

const input = { deviceName: 'new laptop', deviceKind: 'web' } as const

const PASSPHRASE = 'correct horse battery staple'

async function logAddressOfDevice(device: SimDevice): Promise<Address> {
  const [{ ring }, realm] = await Promise.all([readKeyRing(device.store()), readRealm(device.store())])
  return logAddressOf(ring.logAddressSecret, realm?.noiseKey ?? new Uint8Array())
}

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

  it('[K-09] [K-03] a passphrase with its card, or a passkey, brings history and notes back, and not the root', async () => {
    const { world, ann } = await somebody(84)
    await say(ann, NOTES, 'milk')
    const { card } = await world.until(ann.request('addPassphraseDoor', { passphrase: PASSPHRASE }))
    const { userHandle, prfSalt } = await world.until(ann.request('passkeyHandle', null))
    const prf = world.random.dice(32)
    const credentialId = world.random.dice(40)
    await world.until(ann.request('addPasskeyDoor', { credentialId, prfSalt, prf: prf.slice() }))
    await world.run(10_000)
    const keys = [
      { by: 'passphrase', card, passphrase: PASSPHRASE },
      { by: 'passkey', userHandle, prf },
    ] as const
    for (const key of keys) {
      const fresh = await world.device(key.by)
      expect(await world.until(fresh.request('lookUp', key))).toMatchObject({ name: 'Ann' })
      await world.until(fresh.request('restore', { key, ...input }))
      await world.run(20_000)
      expect(await textsOf(fresh, NOTES)).toEqual(['milk'])
      expect(await fresh.face().account()).toMatchObject({ state: 'ready', name: 'Ann', holdsRoot: false })
    }
    const fresh = await world.device('fresh')
    const wrong = { by: 'passphrase', card, passphrase: `${PASSPHRASE}!` } as const
    await expect(world.until(fresh.request('lookUp', wrong))).rejects.toMatchObject({ code: 'passphrase/wrong' })
    const other = { by: 'passkey', userHandle, prf: world.random.dice(32) } as const
    await expect(world.until(fresh.request('lookUp', other))).rejects.toMatchObject({ code: 'restore/unknown' })
  })

  it('[K-03] [VLT4] a realm that shows another vault, an older one or another manifest gets no device', async () => {
    const { world, ann, words } = await somebody(85)
    const key = { by: 'phrase', words } as const
    const address = await logAddressOfDevice(ann)
    const connection = world.relay.connect(() => {})
    const older = await world.until(connection.call('vault.get', { address }))
    await world.until(ann.request('addPassphraseDoor', { passphrase: PASSPHRASE }))
    const [door] = (await ann.face().doors()).filter(({ kind }) => kind === 'passphrase')
    await world.until(ann.request('removeDoor', { doorId: door?.id ?? '' })) // a rotation
    const stranger = await world.device('stranger')
    await world.until(stranger.request('createIdentity', { name: 'Eve', deviceName: 'x', deviceKind: 'web' }))
    await world.run(10_000)
    const eve = await readAccount(stranger.store())
    const vaultOfEve = await world.until(connection.call('vault.get', { address: await logAddressOfDevice(stranger) }))
    const fresh = await world.device('fresh')
    const lies: [string, object][] = [
      ['vault.get', older],
      ['vault.get', vaultOfEve],
      ['vault.get', { ...older, owner: vaultOfEve.owner }],
      ['account.get', { manifest: eve?.manifest }],
    ]
    for (const [asked, lie] of lies) {
      fresh.forge = (operation) => (operation === asked ? lie : undefined)
      await expect(world.until(fresh.request('restore', { key, ...input }))).rejects.toMatchObject({
        code: 'restore/false',
      })
      expect(await fresh.face().account()).toEqual({ state: 'none' })
    }
    fresh.forge = () => undefined
    await world.until(fresh.request('restore', { key, ...input }))
  })

  it('[LGE3] [LGE4] [M-09] history that the realm keeps back is named as missing, and what is there is shown', async () => {
    const { world, ann, words } = await somebody(86)
    for (const text of ['one', 'two', 'three']) {
      await say(ann, NOTES, text)
      await world.run(3_000)
    }
    const fresh = await world.device('fresh')
    await world.until(fresh.request('lookUp', { by: 'phrase', words }))
    const connection = world.relay.connect(() => {})
    const address = await logAddressOfDevice(ann)
    const token = newest((await readKeyRing(ann.store())).ring).logToken
    const whole = await world.until(connection.call('log.back', { address, token, before: 0 }))
    const dropped = whole.entries[1]?.position ?? 0
    fresh.forge = (operation, args) => {
      if (operation !== 'log.back') return undefined
      const { before } = args as ArgsOf<'log.back'>
      const entries = whole.entries.filter(
        ({ position }) => position !== dropped && (before === 0 || position < before),
      )
      return { ...whole, entries }
    }
    await world.until(fresh.request('restore', { key: { by: 'phrase', words }, ...input }))
    await world.run(30_000)
    expect(await textsOf(fresh, NOTES)).toEqual(['one', 'three'])
    expect(await fresh.face().work()).toMatchObject([{ kind: 'restore', state: 'failed', problem: 'log/gap' }])
    await fresh.request('cancelWork', { kind: 'restore' })
    expect(await fresh.face().work()).toEqual([])
  })
})
