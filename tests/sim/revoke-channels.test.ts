import { describe, expect, it } from 'vitest'
import { readDevice } from '#app/account/read-account.ts'
import { loadChannel } from '#app/channel/loaded.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { members } from '#core/mls/index.ts'
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
    await say(ann, ofAnn, 'mine')
    await world.run(20_000)
    expect(await textsOf(ann, ofAnn)).toEqual(['before', 'after', 'mine'])
    expect(await textsOf(bea, ofBea)).toEqual(['before', 'after', 'mine'])
    expect(await ann.store().list('tasks')).toEqual([])
    tablet.comeBack()
    await world.run(20_000)
    expect(await tablet.face().account()).toEqual({ state: 'revoked' })
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
})
