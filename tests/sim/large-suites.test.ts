import { describe, expect, it } from 'vitest'
import type { ContactRecord } from '#app/ports/records.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import { signingKeyFromSeed } from '#core/crypto/sign.ts'
import { RelayError } from '#core/errors.ts'
import { signCertificate } from '#core/identity/certificate.ts'
import { signManifest } from '#core/identity/manifest.ts'
import { SUITE_CLASSICAL, SUITE_XWING } from '#core/mls/index.ts'
import { type AccountId, DEVICE_BYTES, type DeviceId } from '#core/wire/ids.ts'
import { groupIdOf } from '../support/sim/many-devices.ts'
import { invite, say, textsOf } from '../support/sim/meet.ts'
import { acquaint, identity, personId, personIds } from '../support/sim/people.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { World } from '../support/sim/world.ts'

const HOUR_MS = 60 * 60 * 1000

/** Somebody with so many devices, none of which has left anything at the realm. */
async function crowd(world: World, devices: number): Promise<ContactRecord> {
  const { dice } = world.random
  const root = await signingKeyFromSeed(dice(32))
  const account = root.publicKey as AccountId
  const listed = Array.from({ length: devices }, async () => {
    const { publicKey: signatureKey } = await signingKeyFromSeed(dice(32))
    const deviceId = dice(DEVICE_BYTES) as DeviceId
    const certificate = await signCertificate({ account, deviceId, signatureKey, sequence: 1 }, root)
    return { certificate, hpkeKey: dice(32) }
  })
  const manifest = await signManifest({ account, sequence: 1, devices: await Promise.all(listed) }, root)
  return { account, name: 'crowd', manifest, sequence: 1 }
}

describe('the suite of a group', () => {
  it('[C-01] [MLS1] is X-Wing, and classical in one that is made for more than 250 devices; both live side by side', async () => {
    const world = await World.make(41)
    const [ann, bea, cid] = [await identity(world, 'ann'), await identity(world, 'bea'), await identity(world, 'cid')]
    await acquaint(world, ann, [bea, cid])
    await world.run(20_000)
    const first = await personIds([bea])
    const small = await world.until(ann.request('createGroup', { title: 'Small', members: first }))
    const large = await world.until(ann.request('createGroup', { title: 'Large', members: first, large: true }))
    await world.run(60_000)
    for (const { channelId } of [small, large]) {
      await world.until(ann.request('addMembers', { channelId, ids: [await personId(cid)] }))
    }
    await world.run(60_000)
    for (const [{ channelId }, suite, keys] of [
      [small, SUITE_XWING, 'hybrid'],
      [large, SUITE_CLASSICAL, 'classical'],
    ] as const) {
      expect(await ann.store().get('channels', channelId)).toMatchObject({ suite })
      const details = await ann.face().channelDetails(channelId)
      expect(details).toMatchObject({ keys, missing: [], waiting: [] })
      expect(details.members).toHaveLength(3)
      await say(ann, channelId, `hello ${keys}`)
      await world.run(10_000)
      for (const device of [bea, cid]) {
        const there = (await device.face().channels()).find(({ title }) => title === details.title)
        expect(await textsOf(device, there?.id ?? '')).toContain(`hello ${keys}`)
        expect(await device.face().channelDetails(there?.id ?? '')).toMatchObject({ keys })
      }
    }
  })

  it('[C-01] [C-02] is classical by itself when the first members have more than 250 devices; who could not be added is told', async () => {
    const world = await World.make(42)
    const [ann, bea] = [await identity(world, 'ann'), await identity(world, 'bea')]
    await acquaint(world, ann, [bea])
    ann.kill()
    const store = ann.store()
    await store.takeOver()
    const crowds = await Promise.all(Array.from({ length: 4 }, () => crowd(world, 64)))
    await store.write(crowds.map((record, i) => ({ put: 'contacts', key: `crowd ${i}`, record }) as const))
    await world.run(20_000)
    const ids = crowds.map(({ account }) => toBase64url(account))
    const members = [...(await personIds([bea])), ...ids]
    const made = await world.until(ann.request('createGroup', { title: 'All', members }))
    expect(made.missing.toSorted()).toEqual(ids.toSorted())
    await world.run(60_000)
    const details = await ann.face().channelDetails(made.channelId)
    expect(details).toMatchObject({ keys: 'classical', missing: ['crowd', 'crowd', 'crowd', 'crowd'] })
    await say(ann, made.channelId, 'hello')
    await world.run(10_000)
    expect(await textsOf(bea, await groupIdOf(bea))).toEqual(['hello'])
  })

  it('[C-02] [GRP7] who had left no key packages comes in by itself once they are there, and is let go after a week', async () => {
    for (const returnsAfterMs of [5 * HOUR_MS, 8 * 24 * HOUR_MS]) {
      const world = await World.make(43)
      const [ann, bea] = [await identity(world, 'ann'), await identity(world, 'bea')]
      const cid = await world.device('cid')
      cid.forge = (operation) =>
        operation === 'packages.put'
          ? new RelayError('quota/full', { retryable: true, detail: { waitMs: 1000 } })
          : undefined
      await world.until(cid.request('createIdentity', { name: 'cid', deviceName: 'one', deviceKind: 'web' }))
      await acquaint(world, ann, [bea, cid])
      await world.run(20_000)
      cid.goAway()
      const input = { title: 'Walks', members: await personIds([bea, cid]) }
      const made = await world.until(ann.request('createGroup', input))
      expect(made.missing).toEqual([await personId(cid)])
      ann.kill() // the wish is on the disk
      await world.run(2 * HOUR_MS)
      expect((await ann.face().channelDetails(made.channelId)).missing).toEqual(['cid'])
      const isLong = returnsAfterMs > 24 * HOUR_MS
      for (const device of isLong ? [ann, bea] : []) device.goAway() // a week that nobody has to wait for
      await world.run(returnsAfterMs)
      cid.forge = () => undefined
      cid.comeBack()
      await world.run(60_000)
      for (const device of isLong ? [ann, bea] : []) device.comeBack()
      await world.run(3 * HOUR_MS)
      const details = await ann.face().channelDetails(made.channelId)
      expect(details.missing).toEqual([])
      const isIn = details.members.some(({ name }) => name === 'cid')
      expect(isIn).toBe(returnsAfterMs < 7 * 24 * HOUR_MS)
      expect(await cid.channelIds()).toHaveLength(isIn ? 1 : 0)
    }
  }, 240_000)

  it('[GRP7] who is asked for again stays so, whoever else was looked for meanwhile', async () => {
    const world = await World.make(44)
    const ann = await identity(world, 'ann')
    const [bea, cid, dan] = [await identity(world, 'bea'), await identity(world, 'cid'), await identity(world, 'dan')]
    await acquaint(world, ann, [bea, cid, dan])
    const nothing = new Set(await personIds([bea, cid]))
    let answer: (reply: object) => void = () => {}
    let isSlow = false
    ann.forge = (operation, args) => {
      if (operation !== 'packages.take') return undefined
      const who = toBase64url((args as { account: Uint8Array }).account)
      if (!nothing.has(who)) return undefined
      if (!isSlow) return { devices: [] }
      isSlow = false
      return new Promise<object>((resolve) => {
        answer = resolve
      })
    }
    const { channelId } = await world.until(ann.request('createGroup', { title: 'Walks', members: [] }))
    const add = async (who: SimDevice[]) =>
      world.until(ann.request('addMembers', { channelId, ids: await personIds(who) }))
    await add([bea, dan])
    await world.run(30_000)
    isSlow = true
    await world.run(2 * HOUR_MS)
    expect([isSlow, (await ann.face().channelDetails(channelId)).missing]).toEqual([false, ['bea']])
    const eva = await identity(world, 'eva')
    await world.until(ann.request('acceptInvitation', { link: await invite(world, eva) }))
    await add([cid, eva])
    answer({ devices: [] })
    await world.run(10_000)
    expect((await ann.face().channelDetails(channelId)).missing.toSorted()).toEqual(['bea', 'cid'])
    nothing.clear()
    await world.run(3 * HOUR_MS)
    const { missing, members } = await ann.face().channelDetails(channelId)
    expect([missing, members.map(({ name }) => name).toSorted()]).toEqual([[], ['ann', 'bea', 'cid', 'dan', 'eva']])
  })
})
