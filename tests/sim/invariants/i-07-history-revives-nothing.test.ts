import { describe, expect, it } from 'vitest'
import { readKeyRing } from '#app/account/key-ring.ts'
import { readRealm } from '#app/account/read-account.ts'
import { toHex } from '#core/bytes/hex.ts'
import { RelayError } from '#core/errors.ts'
import { CERTIFICATE_BYTES } from '#core/identity/certificate.ts'
import { logAddressOf, newest } from '#core/keys/key-ring.ts'
import { encodeEntry } from '#core/log/entry.ts'
import { openEntry } from '#core/log/seal.ts'
import type { AnyTable } from '#store/schema.ts'
import { meet, say, textsOf } from '../../support/sim/meet.ts'
import type { SimDevice } from '../../support/sim/sim-device.ts'
import type { World } from '../../support/sim/world.ts'

const WINDOW = 16

/** Every run of 16 bytes: of keys, ratchets and whatever else there is. */
function* windowsOf(bytes: Uint8Array): Generator<string> {
  for (let at = 0; at + WINDOW <= bytes.length; at++) {
    const window = bytes.subarray(at, at + WINDOW)
    if (new Set(window).size > WINDOW / 2) yield toHex(window) // no run of zeros or of text
  }
}

async function bytesOf(device: SimDevice, ...tables: AnyTable[]): Promise<Uint8Array[]> {
  return (await Promise.all(tables.map((table) => device.disk.range(table, {})))).flat().map(({ value }) => value)
}

/** What lies in the account's log, opened. */
async function logOf(world: World, device: SimDevice): Promise<Uint8Array[]> {
  const [{ ring }, realm] = await Promise.all([readKeyRing(device.store()), readRealm(device.store())])
  const address = logAddressOf(ring.logAddressSecret, realm?.noiseKey ?? new Uint8Array())
  const connection = world.relay.connect(() => {})
  const from = { address, token: newest(ring).logToken, after: 0 }
  const { entries } = await world.until(connection.call('log.fetch', from))
  connection.close()
  return Promise.all(
    entries.map(async ({ position, bytes }) => encodeEntry(await openEntry(ring, { address, position }, bytes))),
  )
}

describe('[I-07] history brings no MLS secret back', () => {
  it('neither in the log nor on a device that was restored from it is anything of a group’s state', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(77)
    const states = new Set<string>()
    const look = async (): Promise<void> => {
      for (const bytes of await bytesOf(ann, 'epochs', 'ratchets')) {
        for (const window of windowsOf(bytes)) states.add(window)
      }
    }
    for (let i = 0; i < 12; i++) {
      await look()
      await say(i % 2 === 0 ? ann : bea, i % 2 === 0 ? ofAnn : ofBea, `message ${i}`)
      if (i % 4 === 0) await world.until(ann.request('heal', { channelId: ofAnn }))
      await world.run(5_000)
    }
    await world.run(20_000)
    await look()
    expect(states.size).toBeGreaterThan(2_000)

    const fresh = await world.device('fresh')
    const noWay = new RelayError('relay/busy', { retryable: true })
    fresh.forge = (operation) => (operation.startsWith('channel.') ? noWay : undefined) // it has the history alone
    const words = (await ann.request('revealPhrase', null)).join(' ')
    const input = { deviceName: 'fresh', deviceKind: 'web' } as const
    await world.until(fresh.request('restore', { key: { by: 'phrase', words }, ...input }))
    await world.run(20_000)
    const [ofFresh = ''] = await fresh.channelIds()
    expect(await textsOf(fresh, ofFresh)).toHaveLength(12)
    for (const table of ['syncs', 'epochs', 'ratchets', 'nodes', 'pendings'] as const) {
      expect(await bytesOf(fresh, table), table).toEqual([])
    }

    // Who is in the group stands in its state and in contacts and manifests alike; that is no secret.
    const known = new Set<string>()
    const manifests = [...(await ann.store().list('contacts')).map(({ record }) => record.manifest)]
    const account = await ann.store().get('meta', 'account')
    if (account?.kind === 'account') {
      // The account as a certificate begins: length, version, account.
      manifests.push(account.manifest, Uint8Array.of(CERTIFICATE_BYTES, 1, ...account.account))
    }
    for (const manifest of manifests) for (const window of windowsOf(manifest)) known.add(window)
    const log = await logOf(world, ann)
    const stored = await bytesOf(
      fresh,
      'meta',
      'contacts',
      'channels',
      'lines',
      'blocks',
      'blockIds',
      'logged',
      'reads',
    )
    expect(log.length).toBeGreaterThan(5)
    for (const bytes of [...log, ...stored]) {
      const found = [...windowsOf(bytes)].filter((window) => states.has(window) && !known.has(window))
      expect(found).toEqual([])
    }
  })

  it('[C-07] the restored device comes back in with keys of its own, and both go on', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(78)
    await say(ann, ofAnn, 'before')
    await world.run(20_000)
    const words = (await ann.request('revealPhrase', null)).join(' ')
    const fresh = await world.device('fresh')
    const input = { deviceName: 'fresh', deviceKind: 'web' } as const
    await world.until(fresh.request('restore', { key: { by: 'phrase', words }, ...input }))
    await world.run(60_000)
    const [ofFresh = ''] = await fresh.channelIds()
    await say(fresh, ofFresh, 'from the new one')
    await say(bea, ofBea, 'to both')
    await world.run(20_000)
    for (const [device, channelId] of [
      [ann, ofAnn],
      [bea, ofBea],
      [fresh, ofFresh],
    ] as const) {
      const said = (await textsOf(device, channelId)).filter((text) => !text.endsWith(' line'))
      expect(said.toSorted(), device.name).toEqual(['before', 'from the new one', 'to both'])
    }
    const [own] = await bytesOf(ann, 'ratchets')
    const [fresh1] = await bytesOf(fresh, 'ratchets')
    expect(fresh1).not.toEqual(own)
  })
})
