import { describe, expect, it } from 'vitest'
import { loadChannel } from '#app/channel/loaded.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import { RelayError } from '#core/errors.ts'
import { members } from '#core/mls/index.ts'
import type { SeatId, TokenHash } from '#core/wire/ids.ts'
import type { ArgsOf } from '#core/wire/operations.ts'
import type { NewSeat, SeatChanges } from '#core/wire/seats.ts'
import { linked } from '../support/sim/link.ts'
import { invite, meet, say, textsOf } from '../support/sim/meet.ts'
import { watchNonces } from '../support/sim/nonce-checker.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { twin } from '../support/sim/twin.ts'

const DAY_MS = 24 * 60 * 60 * 1000

const withOtherToken = (seat: NewSeat): NewSeat => ({ ...seat, tokenHash: new Uint8Array(32) as TokenHash })
const busy = new RelayError('relay/busy', { retryable: true })

async function wantsOut(device: SimDevice, channelId: string): Promise<boolean> {
  const sync = await device.store().get('syncs', channelId)
  return sync?.wanted.some(({ want }) => want === 'remove') === true
}

async function devicesIn(device: SimDevice, channelId: string): Promise<number> {
  const loaded = await loadChannel({ store: device.store(), handles: device.handles }, channelId)
  return loaded === undefined ? 0 : members(loaded.group).length
}

describe('[K-07] a device that its manifest no longer lists', () => {
  it('is put out by a contact who looked, though none of the account’s own devices has', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(91)
    const phone = await linked(world, ann, 'phone')
    await world.run(60_000)
    expect(await devicesIn(bea, ofBea)).toBe(3)
    const device = await phone.store().get('meta', 'device')
    if (device?.kind !== 'device') throw new Error('no device')
    // The manifest is out, and then nothing more of what revoking does: no channel is told.
    ann.forge = (operation) =>
      operation === 'account.put' || operation === 'account.get' || operation === 'session.hello' ? undefined : busy
    phone.goAway()
    await ann.request('revokeDevice', { deviceId: toBase64url(device.deviceId) })
    await world.run(60_000)
    ann.goAway()
    expect(await devicesIn(bea, ofBea)).toBe(3)
    for (let day = 0; day < 3; day++) {
      bea.goAway()
      await world.run(DAY_MS / 2)
      bea.comeBack()
      await world.run(DAY_MS / 2)
    }
    expect(await devicesIn(bea, ofBea)).toBe(2)
    const sync = await phone.store().get('syncs', (await phone.channelIds())[0] ?? '')
    const thief = world.relay.connect(() => {})
    if (sync === undefined) throw new Error('the phone was not in')
    const key = { address: sync.address, seat: sync.seat, token: sync.token }
    await expect(world.until(thief.call('channel.fetch', { ...key, after: 0 }))).rejects.toThrow('seat/removed')
    ann.forge = () => undefined
    ann.comeBack()
    await world.run(60_000)
    await say(bea, ofBea, 'just us')
    await world.run(10_000)
    expect(await textsOf(ann, ofAnn)).toEqual(['just us'])
  })

  it('[RMV3] [C-07] is not put out by others before another device of its account has come in, and then at once', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(95)
    const phone = await twin(world, ann, 'phone', (device) => {
      device.forge = (operation) => (operation === 'channel.enter' ? busy : undefined)
    })
    await world.run(30_000)
    const device = await ann.store().get('meta', 'device')
    if (device?.kind !== 'device') throw new Error('no device')
    ann.goAway()
    await phone.request('revokeDevice', { deviceId: toBase64url(device.deviceId) })
    await world.run(30_000)
    for (let i = 0; i < 14 && !(await wantsOut(bea, ofBea)); i++) {
      bea.goAway()
      await world.run(DAY_MS / 8)
      bea.comeBack()
      await world.run(10_000)
    }
    expect(await wantsOut(bea, ofBea)).toBe(true)
    await world.run(60_000)
    expect(await devicesIn(bea, ofBea)).toBe(2)
    phone.forge = () => undefined
    phone.lose()
    await world.run(180_000)
    expect(await devicesIn(bea, ofBea)).toBe(2)
    const [ofPhone = ''] = await phone.channelIds()
    expect(await devicesIn(phone, ofPhone)).toBe(2)
    await say(bea, ofBea, 'to the phone')
    await world.run(10_000)
    expect(await textsOf(phone, ofPhone)).toContain('to the phone')
    expect(await textsOf(ann, ofAnn)).not.toContain('to the phone')
  })
})

describe('a commit that the relay will never take', () => {
  it('[C-03] [I-04] is let go with the key that sealed it: what was written goes out, and so does the next commit', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(92)
    const nonces = watchNonces(world)
    const refused = new RelayError('channel/not-moderator', { retryable: false })
    ann.forge = (operation) => (operation === 'channel.commit' ? refused : undefined)
    await world.until(ann.request('heal', { channelId: ofAnn }))
    await say(ann, ofAnn, 'behind it')
    await world.run(10_000)
    expect(await textsOf(bea, ofBea)).toEqual(['behind it'])
    expect(await ann.store().get('pendings', ofAnn)).toBeUndefined()
    ann.forge = () => undefined
    ann.kill()
    await world.run(5_000)
    const before = (await bea.store().get('syncs', ofBea))?.commits ?? 0
    await world.until(ann.request('heal', { channelId: ofAnn }))
    await world.run(10_000)
    expect((await bea.store().get('syncs', ofBea))?.commits).toBe(before + 1)
    await say(bea, ofBea, 'new keys')
    await world.run(10_000)
    expect(await textsOf(ann, ofAnn)).toEqual(['behind it', 'new keys'])
    expect(await nonces.reused()).toEqual([])
  })
})

describe('seats on the side', () => {
  it.each([
    ['a seat of another member taken', (seats: SeatChanges, victim: SeatId) => ({ ...seats, remove: [victim] })],
    ['another token for the new seat', (seats: SeatChanges) => ({ ...seats, add: seats.add.map(withOtherToken) })],
  ])(
    '[SEAT2] [MLS6] [C-04] a commit that came to the relay with %s is void for all, its author too',
    async (_, alter) => {
      const { world, ann, bea } = await meet(93)
      const cid = await world.device('cid')
      await world.until(cid.request('createIdentity', { name: 'cid', deviceName: 'laptop', deviceKind: 'web' }))
      const group = { group: { title: 'Garden' } }
      const { channelId } = await world.until(
        ann.request('acceptInvitation', { link: await invite(world, bea), ...group }),
      )
      await world.run(60_000)
      const inGroup = async (device: SimDevice) =>
        (await device.face().channels()).find(({ kind }) => kind === 'group')?.id ?? ''
      const victim = (await bea.store().get('syncs', await inGroup(bea)))?.seat
      if (victim === undefined) throw new Error('no channel')
      const relay = world.relay.connect(() => {})
      let left = 1
      ann.forge = (operation, args) => {
        if (operation !== 'channel.commit' || left-- <= 0) return undefined
        const commit = args as ArgsOf<'channel.commit'>
        return relay.call('channel.commit', { ...commit, seats: alter(commit.seats, victim) })
      }
      await world.until(ann.request('acceptInvitation', { link: await invite(world, cid), into: channelId }))
      await world.run(180_000)
      expect(left).toBeLessThanOrEqual(0)
      // What the newcomer got is of the void commit, so that it answers nobody: a relay that lies can keep it out anyway.
      const devices = [ann, bea]
      for (const device of devices) {
        await say(device, await inGroup(device), `by ${device.name}`)
        await world.run(10_000)
      }
      await world.run(60_000)
      for (const device of devices) {
        // The newcomer says its name, under keys that nobody else has.
        const texts = (await textsOf(device, await inGroup(device))).filter((text) => !text.endsWith(' line'))
        expect(texts, device.name).toEqual(['by ann', 'by bea'])
      }
      const syncs = await Promise.all(devices.map(async (device) => device.store().get('syncs', await inGroup(device))))
      expect(syncs[0]?.seats).toEqual(syncs[1]?.seats)
    },
  )
})

describe('a relay that names a false place for an own message', () => {
  it('[M-09] makes nothing of somebody else’s be passed over', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(94)
    const relay = world.relay.connect(() => {})
    let lies = 1
    ann.forge = (operation, args) => {
      if (operation !== 'channel.post' || lies-- <= 0) return undefined
      return relay.call('channel.post', args as never).then(({ results }) => ({
        results: results.map((result) => ({ ...result, position: result.position + 1 })),
      }))
    }
    bea.goAway()
    await bea.write(ofBea, 'theirs')
    await say(ann, ofAnn, 'mine')
    await world.run(200)
    bea.comeBack()
    await world.run(20_000)
    expect(await textsOf(ann, ofAnn)).toContain('theirs')
    expect(await textsOf(bea, ofBea)).toContain('theirs')
  })
})
