import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadChannel } from '#app/channel/loaded.ts'
import type { TableName } from '#app/ports/records.ts'
import { handlesOfSecret } from '#core/mls/index.ts'
import { versions } from '#store/schema.ts'
import { invite, meet, say, textsOf } from '../../support/sim/meet.ts'
import type { SimDevice } from '../../support/sim/sim-device.ts'
import { World } from '../../support/sim/world.ts'

/** Of each format of a private key, how many bytes at its end are the secret: X25519's, and the seed of ML-KEM. */
const SECRET = new Map<unknown, number>([
  ['pkcs8', 32],
  ['raw-seed', 64],
])
/** Private halves as they went into WebCrypto, by the handle that came out. */
const halves = new WeakMap<object, Uint8Array>()
const imported = Object.getOwnPropertyDescriptor(crypto.subtle, 'importKey')

beforeAll(async () => {
  await World.make(1) // puts its own WebCrypto in place
  const inner = crypto.subtle.importKey.bind(crypto.subtle) as (...args: unknown[]) => Promise<CryptoKey>
  Object.defineProperty(crypto.subtle, 'importKey', {
    configurable: true,
    value: async (...args: unknown[]) => {
      const [format, data] = args
      const half = SECRET.has(format) && data instanceof Uint8Array ? data.slice(-(SECRET.get(format) ?? 0)) : undefined
      const key = await inner(...args)
      if (half !== undefined) halves.set(key, half)
      return key
    },
  })
})

afterAll(() => {
  if (imported !== undefined) Object.defineProperty(crypto.subtle, 'importKey', imported)
})

/** Every first key that a device ever kept, whether or not it still has it. */
function watchFirstKeys({ handles }: SimDevice): Map<string, CryptoKey> {
  const seen = new Map<string, CryptoKey>()
  const save = handles.save
  handles.save = async (name, key) => {
    if (name.startsWith('mls/')) seen.set(name, key)
    await save(name, key)
  }
  return seen
}

/** Besides those of the key packages that lie at its account, which wait to be used (C-02). */
const firstKeysOf = async (device: SimDevice) => {
  const left = (await device.store().list('packages')).flatMap(({ record }) => handlesOfSecret(record.secret))
  const names = (await device.handles.names()).filter((name) => name.startsWith('mls/'))
  return names.filter((name) => !left.includes(name)).toSorted()
}

/** All bytes that can be reached from a value. */
function* bytesIn(value: unknown, seen = new Set<unknown>()): Generator<Uint8Array> {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  if (value instanceof Uint8Array) yield value
  else if (value instanceof Map) for (const entry of value) yield* bytesIn(entry, seen)
  else for (const inner of Object.values(value)) yield* bytesIn(inner, seen)
}

const TABLES = versions.flatMap((stores) => Object.keys(stores)).filter((name) => !['keys', 'fence'].includes(name))

/** What a device holds: all that its store has, and its channels as an engine has them in memory. */
async function heldBy(device: SimDevice): Promise<Buffer> {
  const store = device.store()
  const rows = await Promise.all(TABLES.map((table) => store.list(table as TableName)))
  const ids = (await store.list('channels')).map(({ key }) => String(key))
  const loaded = await Promise.all(ids.map((id) => loadChannel({ store, handles: device.handles }, id)))
  return Buffer.concat([...bytesIn([rows, loaded])])
}

async function expectHidden(device: SimDevice, keys: ReadonlyMap<string, CryptoKey>): Promise<void> {
  const held = await heldBy(device)
  for (const key of keys.values()) {
    const half = halves.get(key)
    if (half === undefined) throw new Error('a handle that nobody imported')
    expect(held.includes(Buffer.from(half))).toBe(false)
    expect(key.extractable).toBe(false)
    for (const format of ['pkcs8', 'jwk', 'raw'] as const) {
      await expect(crypto.subtle.exportKey(format as 'pkcs8', key as globalThis.CryptoKey)).rejects.toThrow()
    }
  }
}

describe('[K-04] init keys and first leaf keys', () => {
  it('are handles that cannot be exported, bytes nowhere in what a device holds, and gone when they are spent', async () => {
    const world = await World.make(51)
    const [ann, bea] = [await world.device('ann'), await world.device('bea')]
    const [ofAnn, ofBea] = [watchFirstKeys(ann), watchFirstKeys(bea)]
    for (const device of [ann, bea]) {
      const args = { name: device.name, deviceName: 'laptop', deviceKind: 'web' } as const
      await world.until(device.request('createIdentity', args))
    }
    const link = await invite(world, ann)
    const [open] = (await ann.store().list('invitations')).map(({ record }) => record)
    expect(await firstKeysOf(ann)).toEqual(handlesOfSecret(open?.keyPackageSecret ?? new Uint8Array()).toSorted())
    expect(ofAnn.size).toBeGreaterThanOrEqual(2)
    await expectHidden(ann, ofAnn)

    const { channelId } = await world.until(bea.request('acceptInvitation', { link }))
    expect(await firstKeysOf(bea), 'both halves of its first leaf key, and no init key').toHaveLength(2)
    await expectHidden(bea, ofBea)
    await world.run(120_000) // both have committed since, which replaces their leaf keys by others
    for (const [device, keys] of [
      [ann, ofAnn],
      [bea, ofBea],
    ] as const) {
      expect(await firstKeysOf(device)).toEqual([])
      await expectHidden(device, keys)
      device.kill()
    }
    await world.run(10_000)
    await say(bea, channelId, 'all the same')
    await world.run(60_000)
    expect(await textsOf(ann, (await ann.channelIds())[0] ?? '')).toContain('all the same')
  })

  it('are swept when a device stops before what needs them is stored', async () => {
    const { world, ann } = await meet(52)
    const kept = watchFirstKeys(ann)
    ann.crashAt(1, 'before')
    void ann.request('createInvitation', null).catch(() => undefined)
    await world.run(30_000)
    expect(ann.crashes).toBe(1)
    expect(kept.size).toBeGreaterThanOrEqual(2)
    expect(await firstKeysOf(ann)).toEqual([])
    await invite(world, ann)
    const open = await firstKeysOf(ann)
    ann.kill()
    await world.run(10_000)
    expect(await firstKeysOf(ann), 'those of an open invitation stay').toEqual(open)
    expect(open).toHaveLength(4)
  })
})
