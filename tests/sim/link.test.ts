import { describe, expect, it } from 'vitest'
import { readAccount, readDevice } from '#app/account/read-account.ts'
import { makeNewKeys, signWith } from '#app/device/take-grant.ts'
import { deviceViews } from '#app/face/device-views.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import { toHex } from '#core/bytes/hex.ts'
import { encodeLink, linkAddressOf, readLinkCode } from '#core/link/code.ts'
import { type Holder, holderAwaits, holderPut, joinLink, stepHolder } from '#core/link/holder.ts'
import { keyHashOf, type Newcomer, newcomerAwaits, newcomerPut, offerLink, stepNewcomer } from '#core/link/newcomer.ts'
import { SLOTS } from '#core/link/slots.ts'
import type { ArgsOf } from '#core/wire/operations.ts'
import { manifestOf, start } from '../support/sim/account.ts'
import { crashSides } from '../support/sim/crash-sides.ts'
import { confirmBoth, linked, reaches, showing } from '../support/sim/link.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import type { World } from '../support/sim/world.ts'

const SHOW = { deviceName: ' tablet '.padEnd(80), deviceKind: 'web' } as const

describe('[K-06] linking a device', () => {
  it('gives it the account by a link that is scanned, after both persons confirmed the same digits, and no root', async () => {
    const { world, ann } = await start(1)
    const { tablet, link } = await showing(world)
    await world.until(ann.request('joinLink', { code: link }))
    const there = await reaches(world, ann, 'comparing')
    const here = await reaches(world, tablet, 'comparing')
    expect(here.digits).toMatch(/^\d{12}$/)
    expect(there.digits).toBe(here.digits)
    expect((await manifestOf(ann)).devices).toHaveLength(1)

    await world.until(tablet.request('confirmLink', null))
    await world.run(10_000)
    expect((await manifestOf(ann)).devices, 'nothing is signed before both confirmed').toHaveLength(1)
    await world.until(ann.request('confirmLink', null))
    expect(await reaches(world, ann, 'done')).toEqual({ state: 'done', peer: 'tablet' })
    expect(await reaches(world, tablet, 'done')).toEqual({ state: 'done', peer: 'Ann' })
    await world.run(10_000)

    const account = await readAccount(tablet.store())
    expect(account).toMatchObject({ name: 'Ann', account: (await readAccount(ann.store()))?.account })
    expect(account).not.toHaveProperty('rootSeed')
    expect((await readDevice(tablet.store()))?.linkedBy).toEqual((await readDevice(ann.store()))?.deviceId)
    expect(await manifestOf(tablet)).toEqual(await manifestOf(ann))
    expect((await manifestOf(tablet)).devices).toHaveLength(2)
    expect(await ringOf(tablet)).toEqual(await ringOf(ann))
    expect(await tablet.describe()).toContain('online')
  })

  it('takes the code as it is typed, in another case and without its dashes', async () => {
    const { world, ann } = await start(2)
    const { tablet, code } = await showing(world)
    expect(code).toMatch(/^([0-9A-Z]{4}-){3}[0-9A-Z]{4}$/)
    await world.until(ann.request('joinLink', { code: code.toLowerCase().replaceAll('-', ' ') }))
    await confirmBoth(world, ann, tablet)
    expect(await reaches(world, tablet, 'done')).toMatchObject({ peer: 'Ann' })
  })

  it('the device page has the name that it asked under, before it tells the log of itself', async () => {
    const { world, ann } = await start(14)
    const { tablet, link } = await showing(world)
    await world.until(ann.request('joinLink', { code: link }))
    await Promise.all([reaches(world, ann, 'comparing'), reaches(world, tablet, 'comparing')])
    await world.until(tablet.request('confirmLink', null))
    await world.until(ann.request('confirmLink', null))
    tablet.kill() // it never takes the grant
    await reaches(world, ann, 'done')
    await world.run(5_000)
    const views = await deviceViews(ann.store())
    expect(views.find(({ here }) => !here)).toMatchObject({ name: 'tablet', kind: 'web', holdsRoot: false })
  })

  it('a linked device can talk, and can neither link nor revoke others', async () => {
    const { world, ann } = await start(3)
    const { tablet, link } = await showing(world)
    await world.until(ann.request('joinLink', { code: link }))
    await confirmBoth(world, ann, tablet)
    await reaches(world, tablet, 'done')
    await world.run(10_000)
    const another = await showing(world, 'phone')
    const linking = world.until(tablet.request('joinLink', { code: another.link }))
    await expect(linking).rejects.toMatchObject({ code: 'link/no-root' })
    const deviceId = toBase64url((await readDevice(ann.store()))?.deviceId ?? new Uint8Array())
    const revoking = world.until(tablet.request('revokeDevice', { deviceId }))
    await expect(revoking).rejects.toMatchObject({ code: 'devices/no-root' })
    await expect(world.until(tablet.request('showLink', SHOW))).rejects.toMatchObject({ code: 'link/exists' })
  })

  it('a code that is none, that nobody shows, or that was used already links nothing and says why', async () => {
    const { world, ann } = await start(4)
    await expect(world.until(ann.request('joinLink', { code: 'hello, you' }))).rejects.toMatchObject({
      code: 'link/not-a-code',
    })
    const elsewhere = encodeLink(new Uint8Array(32), { origin: 'https://realm.example', realmKey: new Uint8Array(32) })
    await expect(world.until(ann.request('joinLink', { code: elsewhere }))).rejects.toMatchObject({
      code: 'link/foreign-realm',
    })
    await world.until(ann.request('joinLink', { code: '0123-4567-89AB-CDEF' }))
    expect(await reaches(world, ann, 'failed')).toEqual({ state: 'failed', why: 'link/unknown' })

    const { tablet, link } = await showing(world)
    await world.until(ann.request('joinLink', { code: link }))
    await confirmBoth(world, ann, tablet)
    await reaches(world, ann, 'done')
    await world.until(ann.request('joinLink', { code: link }))
    expect(await reaches(world, ann, 'failed')).toEqual({ state: 'failed', why: 'link/used' })
    expect((await manifestOf(ann)).devices).toHaveLength(2)
  })

  it('whoever says that the digits differ ends it for both, and nothing has changed', async () => {
    for (const who of ['holder', 'new'] as const) {
      const { world, ann } = await start(5)
      const { tablet, link } = await showing(world)
      await world.until(ann.request('joinLink', { code: link }))
      await Promise.all([reaches(world, ann, 'comparing'), reaches(world, tablet, 'comparing')])
      const [one, other] = who === 'holder' ? [ann, tablet] : [tablet, ann]
      await world.until(other.request('confirmLink', null))
      await world.until(one.request('cancelLink', null))
      expect(await reaches(world, other, 'failed')).toEqual({ state: 'failed', why: 'link/cancelled' })
      expect(await one.request('linking', null)).toEqual({ state: 'none' })
      expect((await manifestOf(ann)).devices).toHaveLength(1)
      expect(await tablet.store().condition()).toBe('empty')
    }
  })

  it('a code that nobody takes up expires after ten minutes, and one that is left half-way on the other side too', async () => {
    const { world, ann } = await start(6)
    const { tablet, link, expiresAtMs } = await showing(world)
    expect(expiresAtMs - world.timeline.nowMs).toBeLessThanOrEqual(600_000)
    await world.run(610_000)
    expect(await tablet.request('linking', null)).toEqual({ state: 'failed', why: 'link/expired' })
    await world.until(ann.request('joinLink', { code: link }))
    expect((await reaches(world, ann, 'failed')).why).toBe('link/cancelled')

    const again = await showing(world, 'phone')
    await world.until(ann.request('joinLink', { code: again.link }))
    await reaches(world, again.tablet, 'comparing')
    ann.kill()
    await world.run(1_000)
    expect(await ann.request('linking', null)).toEqual({ state: 'none' })
    await world.run(610_000)
    expect(await again.tablet.request('linking', null)).toEqual({ state: 'failed', why: 'link/expired' })
    expect((await manifestOf(ann)).devices).toHaveLength(1)
  })

  it('[U-04] a crash at any write of either side leaves a device that is linked whole or not at all, and never one that is half in', async () => {
    let linked = 0
    for (const who of ['holder', 'new'] as const) {
      for (let write = 1; write <= 6; write++) {
        for (const side of crashSides(write + (who === 'new' ? 1 : 0))) {
          const { world, ann } = await start(100 + write)
          const { tablet, link } = await showing(world)
          await world.until(ann.request('joinLink', { code: link }))
          await Promise.all([reaches(world, ann, 'comparing'), reaches(world, tablet, 'comparing')])
          ;(who === 'holder' ? ann : tablet).crashAt(write, side)
          await confirmBoth(world, ann, tablet)
          await world.run(700_000)
          const what = `${who}, write ${write}, ${side}`
          const account = await readAccount(tablet.store())
          const manifest = await manifestOf(ann)
          expect(await ann.describe(), what).toContain('online')
          if (account === undefined) continue // it may be listed: it is shown, and can be revoked
          expect(await manifestOf(tablet), what).toEqual(manifest)
          expect(await ringOf(tablet), what).toEqual(await ringOf(ann))
          expect(await tablet.describe(), what).toContain('online')
          linked++
        }
      }
    }
    expect(linked).toBeGreaterThan(4)
  })
})

describe('[K-09] a device that came by a passphrase', () => {
  it('reads, is in no manifest, and is linked as what it is', async () => {
    const { world, ann } = await start(30)
    const passphrase = 'correct horse battery'
    const { card } = await world.until(ann.request('addPassphraseDoor', { passphrase }))
    const fresh = await world.device('fresh')
    const input = { key: { by: 'passphrase', card, passphrase }, deviceName: 'fresh', deviceKind: 'web' } as const
    await world.until(fresh.request('restore', input))
    await world.run(10_000)
    expect(await fresh.face().account()).toMatchObject({ state: 'ready', name: 'Ann', holdsRoot: false })
    expect((await manifestOf(ann)).devices).toHaveLength(1)
    await world.until(fresh.request('showLink', SHOW))
    const { link } = await reaches(world, fresh, 'showing')
    await world.until(ann.request('joinLink', { code: link }))
    await confirmBoth(world, ann, fresh)
    await reaches(world, fresh, 'done')
    await world.run(20_000)
    expect((await manifestOf(fresh)).devices).toHaveLength(2)
    expect(await readDevice(fresh.store())).not.toHaveProperty('unlisted')
    expect(await fresh.describe()).toContain('online')
  })
})

describe('[K-07] the id of a device that was revoked', () => {
  it('is certified for nobody, by whatever keys it asks and though both screens are confirmed', async () => {
    const { world, ann } = await start(40)
    const tablet = await linked(world, ann, 'tablet')
    const deviceId = (await readDevice(tablet.store()))?.deviceId
    if (deviceId === undefined) throw new Error('not linked')
    await world.until(ann.request('revokeDevice', { deviceId: toBase64url(deviceId) }))
    await world.run(20_000)

    const relay = world.relay.connect(() => {})
    const keys = await makeNewKeys({ dice: world.random.dice }, { name: 'tablet', kind: 'web' })
    const offered = await offerLink(world.timeline.nowMs, world.random.dice)
    const link = encodeLink(keyHashOf(offered), {
      origin: 'https://realm.example',
      realmKey: new Uint8Array(32).fill(7),
    })
    const address = linkAddressOf(readLinkCode(link))
    let state: Newcomer = offered
    const play = async (): Promise<void> => {
      const put = newcomerPut(state)
      if (put !== undefined) await relay.call('link.put', { address, ...put })
      const slot = newcomerAwaits(state)
      if (slot === undefined) return
      const { bytes } = await relay.call('link.get', { address, slot })
      if (bytes !== undefined) state = await stepNewcomer(state, { type: 'received', slot, bytes }, world.random.dice)
    }
    await world.until(play())
    await world.until(ann.request('joinLink', { code: link }))
    for (let i = 0; i < 8 && state.at !== 'comparing'; i++) {
      await world.until(play())
      await world.run(2_000)
    }
    const device = { ...keys.device, deviceId }
    state = await stepNewcomer(state, { type: 'confirmed', device, sign: signWith(keys) }, world.random.dice)
    await world.until(play())
    await reaches(world, ann, 'comparing')
    await world.until(ann.request('confirmLink', null))
    expect(await reaches(world, ann, 'failed')).toEqual({ state: 'failed', why: 'link/known-device' })
    expect((await manifestOf(ann)).devices).toHaveLength(1)
  })
})

/** A relay that is a holder itself towards the new device, and shows the real holder what it likes. */
describe('[K-06] a relay in the middle of a link', () => {
  it('that puts its own key in the place of the new device’s is refused by the code', async () => {
    for (const form of ['link', 'code'] as const) {
      const { world, ann } = await start(20)
      const shown = await showing(world)
      const own = await offerLink(world.timeline.nowMs, world.random.dice)
      ann.forge = (operation, args) =>
        operation === 'link.get' && (args as ArgsOf<'link.get'>).slot === SLOTS.key
          ? { bytes: newcomerPut(own)?.bytes }
          : undefined
      await world.until(ann.request('joinLink', { code: shown[form] }))
      expect(await reaches(world, ann, 'failed'), form).toEqual({ state: 'failed', why: 'link/key' })
      expect((await manifestOf(ann)).devices).toHaveLength(1)
    }
  })

  it('that answers the new device in the holder’s place gives it other digits, so it takes it into no account', async () => {
    const { world, ann } = await start(21)
    const { tablet, link } = await showing(world)
    let own: Holder = joinLink(readLinkCode(link), world.timeline.nowMs, world.random.dice)
    const heard = new Map<number, Uint8Array>()
    tablet.forge = (operation, args) => {
      if (operation === 'link.put') heard.set((args as ArgsOf<'link.put'>).slot, (args as ArgsOf<'link.put'>).bytes)
      if (operation !== 'link.get') return undefined
      const put = holderPut(own)
      return put?.slot === (args as ArgsOf<'link.get'>).slot ? { bytes: put.bytes } : {}
    }
    const play = async (): Promise<void> => {
      const slot = holderAwaits(own)
      const bytes = slot === undefined ? undefined : heard.get(slot)
      if (slot !== undefined && bytes !== undefined) {
        own = await stepHolder(own, { type: 'received', slot, bytes }, world.random.dice)
      }
    }
    heard.set(SLOTS.key, (await peek(world, link)) ?? new Uint8Array())
    await world.until(ann.request('joinLink', { code: link }))
    for (let i = 0; i < 10; i++) {
      await play()
      await world.run(2_000)
    }
    const here = await reaches(world, tablet, 'comparing')
    // What Ann's screen shows meanwhile is of her own meeting with the real key, if it shows anything.
    const there = await ann.request('linking', null)
    expect(there.state === 'comparing' ? there.digits : 'none').not.toBe(here.digits)
    await world.until(tablet.request('cancelLink', null))
    await world.run(20_000)
    expect(await tablet.store().condition()).toBe('empty')
    expect((await manifestOf(ann)).devices).toHaveLength(1)
  })
})

/** What the relay holds in the first slot of that meeting. */
async function peek(world: World, link: string): Promise<Uint8Array | undefined> {
  const address = linkAddressOf(readLinkCode(link))
  const connection = world.relay.connect(() => {})
  const { bytes } = await world.until(connection.call('link.get', { address, slot: SLOTS.key }))
  connection.close()
  return bytes
}

async function ringOf(device: SimDevice): Promise<string> {
  const record = await device.store().get('meta', 'keyRing')
  return record?.kind === 'keyRing' ? toHex(record.bytes) : ''
}
