import { describe, expect, it } from 'vitest'
import { readAccount, readDevice } from '#app/account/read-account.ts'
import { loadChannel } from '#app/channel/loaded.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import { epochOf, members } from '#core/mls/index.ts'
import { encodeCbor } from '#core/wire/cbor.ts'
import type { OperationName } from '#core/wire/operations.ts'
import { linked } from '../../support/sim/link.ts'
import { meet, say, textsOf } from '../../support/sim/meet.ts'
import type { SimDevice } from '../../support/sim/sim-device.ts'

async function groupOf(device: SimDevice, channelId: string) {
  const loaded = await loadChannel({ store: device.store(), handles: device.handles }, channelId)
  if (loaded === undefined) throw new Error(`${device.name} is not in`)
  return loaded.group
}

async function directOf(device: SimDevice): Promise<string> {
  return (await device.face().channels()).find(({ kind }) => kind === 'direct')?.id ?? ''
}

/** Forged and expired credentials, and commits that are not allowed, are in tests/unit/core/mls/policy.test.ts and external.test.ts. */
describe('[I-03] only valid devices and authorized changes enter a group', () => {
  it('a revoked device whose realm hides that from it writes, commits and comes back in vain', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(61)
    const tablet = await linked(world, ann, 'tablet')
    await world.run(60_000)
    const there = await directOf(tablet)
    const old = (await readAccount(tablet.store()))?.manifest
    tablet.forge = (operation) => (operation === 'account.get' ? { manifest: old } : undefined)
    const refused = new Set<OperationName>()
    world.onRequest((device, operation) => {
      if (device === tablet && operation.startsWith('channel.')) refused.add(operation)
    })
    const deviceId = toBase64url((await readDevice(tablet.store()))?.deviceId ?? new Uint8Array())
    await world.until(ann.request('revokeDevice', { deviceId }))
    await world.run(60_000)
    const epoch = epochOf(await groupOf(bea, ofBea))
    await say(tablet, there, 'am I still here?')
    void tablet.request('heal', { channelId: there }).catch(() => undefined)
    await world.run(120_000)
    tablet.lose()
    await world.run(120_000)
    expect(refused.size).toBeGreaterThan(0) // it tried
    for (const [device, channelId] of [
      [ann, ofAnn],
      [bea, ofBea],
    ] as const) {
      expect(members(await groupOf(device, channelId)), device.name).toHaveLength(2)
      expect(epochOf(await groupOf(device, channelId)), device.name).toBe(epoch)
      expect(await textsOf(device, channelId), device.name).toEqual([])
    }
    await say(ann, ofAnn, 'without it')
    await world.run(20_000)
    expect(await textsOf(bea, ofBea)).toEqual(['without it'])
  })

  it('nor with the new entry token and key ring in its hands, from an accomplice', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(62)
    const tablet = await linked(world, ann, 'tablet')
    await world.run(60_000)
    const there = await directOf(tablet)
    const old = (await readAccount(tablet.store()))?.manifest
    const deviceId = toBase64url((await readDevice(tablet.store()))?.deviceId ?? new Uint8Array())
    tablet.goAway()
    await world.until(ann.request('revokeDevice', { deviceId }))
    await world.run(60_000)
    const channel = { ...(await tablet.store().get('channels', there)), state: 'returning' }
    const entry = (await ann.store().get('channels', ofAnn))?.entry
    const keyRing = await ann.store().get('meta', 'keyRing')
    const { mailboxCloser: _, ...realm } = { mailboxCloser: 0, ...(await tablet.store().get('meta', 'realm')) }
    const mailbox = { mailbox: world.random.dice(32), mailboxToken: world.random.dice(32), mailboxOpened: false }
    await tablet.disk.write(
      [
        { put: 'meta', key: 'realm', value: encodeCbor({ ...realm, ...mailbox }) }, // its own is shut
        { put: 'channels', key: there, value: encodeCbor({ ...channel, entry }) },
        { put: 'meta', key: 'keyRing', value: encodeCbor(keyRing) },
      ],
      undefined,
    )
    let states = 0
    world.onRequest((device, operation) => {
      if (device === tablet && operation === 'channel.state') states++
    })
    tablet.forge = (operation) => (operation === 'account.get' ? { manifest: old } : undefined)
    tablet.kill()
    await world.run(1_000)
    tablet.comeBack()
    await world.run(120_000)
    expect(states).toBeGreaterThan(0) // the relay let it ask
    for (const [device, channelId] of [
      [ann, ofAnn],
      [bea, ofBea],
    ] as const) {
      expect(members(await groupOf(device, channelId)), device.name).toHaveLength(2)
    }
    await say(ann, ofAnn, 'without it')
    await world.run(20_000)
    expect(await textsOf(bea, ofBea)).toEqual(['without it'])
  })
})
