import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toBase64url } from '#core/bytes/base64url.ts'
import { toHex } from '#core/bytes/hex.ts'
import { sign } from '#core/crypto/sign.ts'
import { signPublished } from '#core/identity/published-packages.ts'
import { MAX_KEY_PACKAGE_BYTES, MAX_PUBLISHED_PACKAGES } from '#core/wire/limits.ts'
import { type MemoryRelay, makeMemoryRelay } from '../support/memory-relay.ts'
import { type HeldDevice, Holder } from '../support/relay/holder.ts'

const DAY_MS = 86_400_000
let now = 0
let seed = 50_000
let relay: MemoryRelay
let ann: Holder
let one: HeldDevice
let two: HeldDevice

const rows = () => relay.dump().find(({ table }) => table === 'packages')?.rows ?? []
const keysOf = (given: readonly { readonly keyPackage: Uint8Array }[]) => given.map((each) => toHex(each.keyPackage))

beforeEach(async () => {
  now = Date.UTC(2026, 5, 1, 12)
  relay = makeMemoryRelay({ clock: { now: () => now }, seed: seed++ })
  ann = await Holder.make(
    relay.connect(() => {}),
    seed++,
  )
  one = await ann.newDevice()
  two = await ann.newDevice()
  await ann.list(one, two)
})
afterEach(() => relay.close())

describe('key packages at an account', () => {
  it('[PKG3] [MLS10] are given one of each device, each once, then the last resort again and again', async () => {
    const [ofOne, ofTwo] = [ann.packagesOf(one, 2), ann.packagesOf(two, 1)]
    await ann.publish(ofOne, one)
    await ann.publish(ofTwo, two)
    expect(await ann.count(one)).toEqual({ left: 2, lastResort: true })
    const takes: string[] = []
    for (let i = 0; i < 4; i++) takes.push(...keysOf(await ann.take()))
    const [a, b] = keysOf(ofOne.packages)
    const [c] = keysOf(ofTwo.packages)
    const [last, lastOfTwo] = keysOf([ofOne.lastResort, ofTwo.lastResort])
    expect(takes.toSorted()).toEqual([a, b, last, last, c, lastOfTwo, lastOfTwo, lastOfTwo].toSorted())
    expect(await ann.count(one)).toEqual({ left: 0, lastResort: true })
    expect(await ann.count(two)).toEqual({ left: 0, lastResort: true })
  })

  it('[PKG3] a hundred who ask at the same time get as many different packages as there are', async () => {
    const packages = ann.packagesOf(one, MAX_PUBLISHED_PACKAGES)
    await ann.publish(packages, one)
    const takes = await Promise.all(Array.from({ length: 100 }, () => ann.take()))
    const last = toHex(packages.lastResort.keyPackage)
    const taken = takes.flatMap(keysOf).filter((key) => key !== last)
    expect(taken.toSorted()).toEqual(keysOf(packages.packages).toSorted())
  })

  it('[PKG2] replace what the device had there; another device’s stay', async () => {
    await ann.publish(ann.packagesOf(one, 3), one)
    await ann.publish(ann.packagesOf(two, 3), two)
    const newer = ann.packagesOf(one, 1)
    await ann.publish(newer, one)
    expect(await ann.count(one)).toEqual({ left: 1, lastResort: true })
    expect(await ann.count(two)).toEqual({ left: 3, lastResort: true })
    expect(keysOf(await ann.take())).toContain(keysOf(newer.packages)[0])
  })

  it('[PKG3] sent again after a lost answer: what was given out meanwhile does not come back', async () => {
    const packages = ann.packagesOf(one, 2)
    await ann.publish(packages, one)
    const first = keysOf(await ann.take())
    await ann.publish(packages, one)
    expect(await ann.count(one)).toEqual({ left: 1, lastResort: true })
    expect(keysOf(await ann.take())).not.toEqual(first)
    expect(keysOf(await ann.take())).toEqual(keysOf([packages.lastResort]))
  })

  it('[PKG3] what was given out is forgotten after it has expired, and its bytes at once', async () => {
    const packages = ann.packagesOf(one, 1)
    await ann.publish(packages, one)
    await ann.take()
    const cells = () => rows().flat()
    const bytes = toHex(packages.packages[0]?.keyPackage ?? new Uint8Array())
    expect(cells().some((cell) => cell instanceof Uint8Array && toHex(cell) === bytes)).toBe(false)
    now += 102 * DAY_MS
    await ann.publish(ann.packagesOf(one, 0), one)
    expect(rows()).toHaveLength(1)
  })

  it('[PKG4] [K-07] of a device that a newer manifest no longer lists are gone, and it leaves no more', async () => {
    await ann.publish(ann.packagesOf(one, 2), one)
    await ann.publish(ann.packagesOf(two, 2), two)
    await ann.take()
    await ann.list(two)
    expect((await ann.take()).map(({ device }) => toHex(device))).toEqual([toHex(two.id)])
    expect(rows().some((row) => row.some((cell) => cell instanceof Uint8Array && toHex(cell) === toHex(one.id)))).toBe(
      false,
    )
    await expect(ann.publish(ann.packagesOf(one, 1), one)).rejects.toMatchObject({ code: 'packages/device' })
  })

  it('[PKG4] a manifest that came while its packages were looked at wins', async () => {
    const { ACCOUNT } = relay.env
    const object = ACCOUNT.get(ACCOUNT.idFromName(toBase64url(ann.account)))
    const packages = ann.packagesOf(one, 1)
    await ann.list(two)
    expect(await object.putPackages(packages, 1)).toMatchObject({
      refusal: { code: 'packages/changed', retryable: true },
    })
    expect(await ann.count(one)).toEqual({ left: 0, lastResort: false })
  })

  it('[PKG6] [C-01] of the two suites lie apart: each is put, counted and taken by itself, and both go with their device', async () => {
    const [hybrid, classical] = [ann.packagesOf(one, 1), { ...ann.packagesOf(one, 2), suite: 'classical' as const }]
    await ann.publish(hybrid, one)
    await ann.publish(classical, one)
    expect(await ann.count(one)).toEqual({ left: 1, lastResort: true })
    expect(await ann.count(one, 'classical')).toEqual({ left: 2, lastResort: true })
    expect(keysOf(await ann.take(ann.caller, 'classical'))).toEqual(keysOf(classical.packages.slice(0, 1)))
    expect(keysOf(await ann.take(ann.caller, 'xwing'))).toEqual(keysOf(hybrid.packages))
    await ann.publish(ann.packagesOf(one, 3), one)
    expect(await ann.count(one, 'classical')).toEqual({ left: 1, lastResort: true })
    await ann.list(two)
    expect(await ann.take(ann.caller, 'classical')).toEqual([])
    expect(await ann.count(one, 'classical')).toEqual({ left: 0, lastResort: false })
  })

  it('[PKG6] a put of one suite is not good as one of the other', async () => {
    const packages = ann.packagesOf(one, 1)
    const signature = await signPublished(packages, { sign: (data) => sign(one.keys.privateKey, data) })
    const moved = { ...packages, suite: 'classical' as const, signature }
    await expect(ann.caller.call('packages.put', moved)).rejects.toMatchObject({ code: 'packages/signature' })
  })

  it('[PKG1] only of the device’s own signature, over this account, this device and these packages', async () => {
    const packages = ann.packagesOf(one, 2)
    const refused = { code: 'packages/signature', retryable: false }
    await expect(ann.publish(packages, two)).rejects.toMatchObject(refused)
    await expect(ann.publish({ ...packages, device: two.id }, one)).rejects.toMatchObject(refused)
    const swapped = { ...packages, signature: new Uint8Array(64).fill(1) }
    await expect(ann.caller.call('packages.put', swapped)).rejects.toMatchObject(refused)
    const bea = await Holder.make(ann.caller, seed++)
    await expect(ann.publish({ ...packages, account: bea.account }, one)).rejects.toMatchObject({
      code: 'account/unknown',
    })
    await bea.list(one)
    const stranger = { ...one, keys: two.keys }
    await expect(ann.publish(packages, stranger)).rejects.toMatchObject(refused)
    expect(rows()).toEqual([])
  })

  it('[PKG1] a drop that this realm did not seal leaves nothing of the whole put', async () => {
    await ann.publish(ann.packagesOf(one, 1), one)
    const bad = { ...ann.published(one), drop: new Uint8Array(93) }
    const put = ann.packagesOf(one, 1)
    for (const spoiled of [
      { ...put, packages: [...put.packages, bad] },
      { ...put, lastResort: bad },
    ]) {
      await expect(ann.publish(spoiled, one)).rejects.toMatchObject({ code: 'drop/invalid' })
    }
    expect(await ann.count(one)).toEqual({ left: 1, lastResort: true })
  })

  it('[R-06] no more and no larger than both sides agreed on', async () => {
    const large = { ...ann.packagesOf(one, 0), lastResort: ann.published(one, MAX_KEY_PACKAGE_BYTES + 1) }
    await expect(ann.publish(large, one)).rejects.toMatchObject({ code: 'schema/bytes' })
    const many = ann.packagesOf(one, MAX_PUBLISHED_PACKAGES + 1)
    await expect(ann.publish(many, one)).rejects.toMatchObject({ code: 'schema/list' })
  })

  it('[DRP2] [T-06] store no drop as it was given, nor two that are alike', async () => {
    await ann.publish(ann.packagesOf(one, 3), one)
    const drops = rows().map((row) => toHex(row.at(-1) as Uint8Array))
    expect(new Set([...drops, toHex(one.drop)]).size).toBe(5)
  })

  it('an account that nobody knows has none, and asking leaves no row', async () => {
    const nobody = await Holder.make(ann.caller, seed++)
    expect(await nobody.take()).toEqual([])
    expect(await nobody.count(one)).toEqual({ left: 0, lastResort: false })
  })

  it('[R-05] outlive a restart', async () => {
    await ann.publish(ann.packagesOf(one, 2), one)
    const first = keysOf(await ann.take())
    relay.restart()
    ann.caller = relay.connect(() => {})
    expect(await ann.count(one)).toEqual({ left: 1, lastResort: true })
    expect(keysOf(await ann.take())).not.toEqual(first)
  })
})
