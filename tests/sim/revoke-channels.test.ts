import { describe, expect, it } from 'vitest'
import { readKeyRing } from '#app/account/key-ring.ts'
import { readDevice } from '#app/account/read-account.ts'
import { loadChannel } from '#app/channel/loaded.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { RelayError } from '#core/errors.ts'
import { newest } from '#core/keys/key-ring.ts'
import { members } from '#core/mls/index.ts'
import { manifestOf } from '../support/sim/account.ts'
import { linked } from '../support/sim/link.ts'
import { invite, meet, say, textsOf } from '../support/sim/meet.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'

async function idOf(device: SimDevice): Promise<Uint8Array> {
  return (await readDevice(device.store()))?.deviceId ?? new Uint8Array()
}

async function membersOf(device: SimDevice, channelId: string) {
  const loaded = await loadChannel({ store: device.store(), handles: device.handles }, channelId)
  return loaded === undefined ? [] : members(loaded.group)
}

async function ofTablet(tablet: SimDevice): Promise<string> {
  const channels = await tablet.face().channels()
  return channels.find(({ kind }) => kind === 'direct')?.id ?? ''
}

describe('[K-07] [I-03] a device that is revoked', () => {
  it('is out of every channel: its seat is dead at once, its leaf goes, and nothing that is said later reaches it', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(1)
    const tablet = await linked(world, ann, 'tablet')
    await world.run(60_000)
    const there = await ofTablet(tablet)
    await say(bea, ofBea, 'before')
    await world.run(20_000)
    expect(await textsOf(tablet, there)).toContain('before')
    expect(await membersOf(bea, ofBea)).toHaveLength(3)
    const id = await idOf(tablet)
    const sync = await tablet.store().get('syncs', there)
    const entry = (await tablet.store().get('channels', there))?.entry
    if (sync === undefined || entry === undefined) throw new Error('not in')

    tablet.goAway()
    await world.until(ann.request('revokeDevice', { deviceId: toBase64url(id) }))
    await world.run(30_000)
    const thief = world.relay.connect(() => {})
    const seat = { address: sync.address, seat: sync.seat, token: sync.token }
    await expect(world.until(thief.call('channel.fetch', { ...seat, after: 0 }))).rejects.toMatchObject({
      code: 'seat/removed',
    })
    const door = { address: sync.address, entry: entry.id, token: entry.token }
    await expect(world.until(thief.call('channel.state', door))).rejects.toMatchObject({ code: 'entry/refused' })
    await world.run(60_000)
    for (const [device, channelId] of [
      [ann, ofAnn],
      [bea, ofBea],
    ] as const) {
      const ids = (await membersOf(device, channelId)).map(({ deviceId }) => deviceId)
      expect(ids, device.name).toHaveLength(2)
      expect(
        ids.some((one) => equalBytes(one, id)),
        device.name,
      ).toBe(false)
    }
    await say(bea, ofBea, 'after')
    await world.run(10_000)
    await say(ann, ofAnn, 'mine')
    await world.run(20_000)
    expect(await textsOf(ann, ofAnn)).toEqual(['before', 'after', 'mine'])
    expect(await textsOf(bea, ofBea)).toEqual(['before', 'after', 'mine'])
    expect(await ann.store().list('tasks')).toEqual([])
    tablet.comeBack()
    await world.run(20_000)
    expect(await tablet.face().account()).toEqual({ state: 'revoked' })
    expect(await tablet.handles.names(), 'no key of the groups either').toEqual([])
  })

  it('takes its invitations along, and those of the device that revokes are withdrawn', async () => {
    const { world, ann, bea } = await meet(2)
    const tablet = await linked(world, ann, 'tablet')
    await world.run(60_000)
    const links = [await invite(world, tablet), await invite(world, ann)]
    await world.until(ann.request('revokeDevice', { deviceId: toBase64url(await idOf(tablet)) }))
    await world.run(60_000)
    for (const link of links) {
      await expect(world.until(bea.request('acceptInvitation', { link }))).rejects.toThrow('invitation/')
    }
  })

  it('is revoked to the end by an account that has left a channel before', async () => {
    const { world, ann, bea, ofAnn } = await meet(5)
    const tablet = await linked(world, ann, 'tablet')
    const link = await invite(world, ann)
    await world.run(60_000)
    await world.until(ann.request('leaveChannel', { channelId: ofAnn }))
    await world.run(60_000)
    await world.until(ann.request('revokeDevice', { deviceId: toBase64url(await idOf(tablet)) }))
    await world.run(60_000)
    expect(await ann.store().list('tasks')).toEqual([])
    await expect(world.until(bea.request('acceptInvitation', { link }))).rejects.toThrow('invitation/')
  })

  it('does not wait for another one, whose place in a channel can’t be ended yet', async () => {
    const { world, ann } = await meet(6)
    const lost = [await linked(world, ann, 'tablet'), await linked(world, ann, 'phone')]
    await world.run(60_000)
    const refused = new RelayError('entry/refused', { retryable: false })
    ann.forge = (operation) => (operation === 'channel.reentry' ? refused : undefined)
    for (const device of lost) {
      await world.until(ann.request('revokeDevice', { deviceId: toBase64url(await idOf(device)) }))
      await world.run(30_000)
    }
    expect((await manifestOf(ann)).devices).toHaveLength(1)
    expect(await ann.store().list('tasks')).toHaveLength(2)
  })

  it('does not wait for another one whose channel, or whose mailbox, the realm has no time for', async () => {
    for (const [i, slow] of (['channel.reentry', 'mailbox.close'] as const).entries()) {
      const { world, ann } = await meet(7 + i)
      const lost = [await linked(world, ann, 'tablet'), await linked(world, ann, 'phone')]
      await world.run(60_000)
      const busy = new RelayError('relay/busy', { retryable: true })
      ann.forge = (operation) => (operation === slow ? busy : undefined)
      const ids = await Promise.all(lost.map(async (device) => toBase64url(await idOf(device))))
      for (const deviceId of ids.sort()) {
        await world.until(ann.request('revokeDevice', { deviceId }))
        await world.run(30_000)
      }
      expect((await manifestOf(ann)).devices, slow).toHaveLength(1)
      expect(newest((await readKeyRing(ann.store())).ring).generation, slow).toBe(3)
      ann.forge = () => undefined
      await world.run(120_000)
      expect(await ann.store().list('tasks'), slow).toEqual([])
    }
  })

  it('leaves the other devices at work: they take the new keys without connecting anew, and go on in log and channels', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(3)
    const tablet = await linked(world, ann, 'tablet')
    const phone = await linked(world, ann, 'phone')
    await world.run(60_000)
    expect(await membersOf(bea, ofBea)).toHaveLength(4)
    await world.until(ann.request('revokeDevice', { deviceId: toBase64url(await idOf(tablet)) }))
    await world.run(60_000)
    const onPhone = await ofTablet(phone)
    await say(bea, ofBea, 'hello')
    await world.run(60_000)
    await say(phone, onPhone, 'from the phone')
    await world.run(60_000)
    for (const [device, channelId] of [
      [ann, ofAnn],
      [bea, ofBea],
      [phone, onPhone],
    ] as const) {
      expect(await textsOf(device, channelId), device.name).toEqual(['hello', 'from the phone'])
    }
    for (const device of [ann, phone]) {
      expect(newest((await readKeyRing(device.store())).ring).generation, device.name).toBe(2)
      const waiting = (await device.store().list('deltas')).filter(
        ({ key }) => Array.isArray(key) && key[0] !== 'pushed',
      )
      expect(waiting, device.name).toEqual([])
    }
    expect(await membersOf(phone, onPhone)).toHaveLength(3)
    const entries = await Promise.all(
      [
        [ann, ofAnn],
        [phone, onPhone],
      ].map(async ([device, id]) => (device as SimDevice).store().get('channels', id as string)),
    )
    expect(entries[0]?.entry).toEqual(entries[1]?.entry)
  })

  it('is revoked by two devices at once: both finish, with one token for each channel', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(4)
    const words = (await ann.request('revealPhrase', null)).join(' ')
    const two = await world.device('two')
    const input = { key: { by: 'phrase', words }, deviceName: 'two', deviceKind: 'web' } as const
    await world.until(two.request('restore', input))
    await world.run(60_000)
    const tablet = await linked(world, ann, 'tablet')
    two.lose()
    await world.run(60_000)
    const deviceId = toBase64url(await idOf(tablet))
    await Promise.all([ann, two].map((by) => world.until(by.request('revokeDevice', { deviceId }))))
    await world.run(180_000)
    const onTwo = await ofTablet(two)
    for (const device of [ann, two]) {
      expect(await device.store().list('tasks'), device.name).toEqual([])
      expect(newest((await readKeyRing(device.store())).ring).generation, device.name).toBe(2)
    }
    const entry = (await ann.store().get('channels', ofAnn))?.entry
    expect((await two.store().get('channels', onTwo))?.entry).toEqual(entry)
    expect(await membersOf(bea, ofBea)).toHaveLength(3)
    await say(two, onTwo, 'hello')
    await world.run(30_000)
    expect(await textsOf(bea, ofBea)).toEqual(['hello'])
    expect(await textsOf(ann, ofAnn)).toEqual(['hello'])
  })

  it('is out though the revoking device crashes at any write while it ends its seats', async () => {
    for (const side of ['before', 'after'] as const) {
      for (let write = 8; write <= 20; write += 2) {
        const { world, ann, bea, ofAnn, ofBea } = await meet(40 + write)
        const tablet = await linked(world, ann, 'tablet')
        await world.run(60_000)
        const id = await idOf(tablet)
        tablet.goAway()
        ann.crashAt(write, side)
        void ann.request('revokeDevice', { deviceId: toBase64url(id) }).catch(() => undefined)
        await world.run(120_000)
        const what = `write ${write}, ${side}`
        expect(await ann.store().list('tasks'), what).toEqual([])
        for (const [device, channelId] of [
          [ann, ofAnn],
          [bea, ofBea],
        ] as const) {
          expect(await membersOf(device, channelId), what).toHaveLength(2)
        }
        await say(ann, ofAnn, 'still here')
        await world.run(20_000)
        expect(await textsOf(bea, ofBea), what).toEqual(['still here'])
        expect((await ann.store().get('channels', ofAnn))?.entry, what).toBeDefined()
      }
    }
  })
})
