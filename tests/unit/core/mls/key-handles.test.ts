import { shake256 } from '@noble/hashes/sha3.js'
import { describe, expect, it } from 'vitest'
import { encodeGroup, handlesOf, handlesOfSecret, type KeyRing, SUITE_XWING } from '#core/mls/index.ts'
import {
  create,
  type Device,
  deviceOf,
  follow,
  join,
  makeAccount,
  merge,
  openText,
  packageOf,
  restored,
  SUITES,
  say,
  seededDice,
  stage,
  world,
} from './support.ts'

function memoryRing() {
  const keys = new Map<string, CryptoKey>()
  const ring: KeyRing = {
    load: async (name) => keys.get(name),
    save: async (name, key) => void keys.set(name, key),
    remove: async (name) => void keys.delete(name),
  }
  return { ring, keys }
}

/** All bytes that can be reached from a value. */
function* bytesIn(value: unknown, seen = new Set<unknown>()): Generator<Uint8Array> {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  if (value instanceof Uint8Array) yield value
  else if (value instanceof Map) for (const entry of value) yield* bytesIn(entry, seen)
  else for (const inner of Object.values(value)) yield* bytesIn(inner, seen)
}

const holds = (value: unknown, secret: Uint8Array) =>
  [...bytesIn(value)].some((bytes) => Buffer.from(bytes).includes(Buffer.from(secret)))

describe.each(SUITES)('[K-04] private keys by handle, $name', ({ suite }) => {
  it('init and first leaf keys are never bytes in what is stored or in memory, and open all the same', async () => {
    const drawn: Uint8Array[] = []
    const dice = seededDice('handles')
    const w = {
      ...world(suite),
      dice: (length: number) => {
        const bytes = dice(length)
        if (length === 32) drawn.push(bytes.slice())
        return bytes
      },
    }
    const [ann, ben] = await Promise.all(['ann', 'ben'].map((name) => makeAccount(name)))
    if (ann === undefined || ben === undefined) throw new Error('unreachable')
    const { ring, keys } = memoryRing()
    const plain = deviceOf(ben)
    const device: Device = { ...plain, signer: { ...plain.signer, ring } }

    drawn.length = 0
    const made = await packageOf(w, device)
    const seeds = drawn.slice(0, 2)
    const secrets =
      suite === SUITE_XWING ? [...seeds, ...seeds.map((seed) => shake256(seed, { dkLen: 96 }).slice(64))] : seeds
    expect(secrets.length).toBeGreaterThanOrEqual(2)
    expect(secrets.some((secret) => holds(made, secret))).toBe(false)
    expect([...keys.keys()].toSorted()).toEqual(
      handlesOfSecret(made.secret)
        .filter((name) => keys.has(name))
        .toSorted(),
    )
    for (const key of keys.values()) {
      expect(key.extractable).toBe(false)
      await expect(crypto.subtle.exportKey('pkcs8', key as globalThis.CryptoKey)).rejects.toThrow()
    }

    let a = await create(w, ann, [{ account: ben.id, role: 'admin' }])
    const staged = await stage(w, a, { adds: [made.keyPackage], manifests: [ben.manifest] })
    a = await merge(a, staged)
    let b = restored(await join(staged, made, device))
    const healing = await stage(w, a)
    a = await merge(a, healing)
    b = restored(await follow(w, b, healing.commit))
    const said = await say(w, b, 'opened with the leaf key in the ring')
    b = restored(said.next)
    expect((await openText(w, a, said.message)).text).toMatch(/^opened/)
    for (const value of [b, encodeGroup(b)]) expect(secrets.some((secret) => holds(value, secret))).toBe(false)
    expect(handlesOf(b).filter((name) => keys.has(name))).not.toHaveLength(0)

    const own = await stage(w, b)
    expect(handlesOf(await merge(b, own)), 'its own commit replaces the leaf key by one that MLS derives').toEqual([])
  })

  it('says so when the ring has lost one', async () => {
    const w = world(suite)
    const [ann, ben] = await Promise.all(['ann', 'ben'].map((name) => makeAccount(name)))
    if (ann === undefined || ben === undefined) throw new Error('unreachable')
    const { ring, keys } = memoryRing()
    const device: Device = { ...deviceOf(ben), signer: { ...deviceOf(ben).signer, ring } }
    const made = await packageOf(w, device)
    const staged = await stage(w, await create(w, ann), { adds: [made.keyPackage], manifests: [ben.manifest] })
    keys.clear()
    await expect(join(staged, made, device)).rejects.toThrow('mls/key-handle')
  })
})
