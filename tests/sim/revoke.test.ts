import { describe, expect, it } from 'vitest'
import { HPKE_HANDLE } from '#app/account/device-signer.ts'
import { readKeyRing } from '#app/account/key-ring.ts'
import { readAccount, readDevice } from '#app/account/read-account.ts'
import { logAddress } from '#app/account/vault.ts'
import { NOTES } from '#app/log/notes.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import { CryptoError, RelayError } from '#core/errors.ts'
import { checkVaultRecord } from '#core/identity/vault-record.ts'
import { hashKeyRing, newest } from '#core/keys/key-ring.ts'
import { openVault } from '#core/keys/vault.ts'
import { openEntry } from '#core/log/seal.ts'
import { POST_ID_BYTES, type PostId } from '#core/wire/ids.ts'
import { manifestOf, start } from '../support/sim/account.ts'
import { crashSides } from '../support/sim/crash-sides.ts'
import { linked } from '../support/sim/link.ts'
import { say, textsOf } from '../support/sim/meet.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { twin } from '../support/sim/twin.ts'
import type { World } from '../support/sim/world.ts'

async function revoke(world: World, by: SimDevice, who: SimDevice): Promise<void> {
  await world.until(by.request('revokeDevice', { deviceId: await idOf(who) }))
}

async function idOf(device: SimDevice): Promise<string> {
  return toBase64url((await readDevice(device.store()))?.deviceId ?? new Uint8Array())
}

/** Each write of lines that come with the log takes that long. */
function slowDisk(world: World, { disk }: SimDevice, durationMs: number): void {
  const write = disk.write.bind(disk)
  disk.write = async (changes, fence) => {
    if (changes.some((change) => 'put' in change && change.put === 'blocks')) {
      await new Promise<void>((done) => world.timeline.plan(durationMs, done))
    }
    return write(changes, fence)
  }
}

/** Everything that the account's devices agree on when a revocation is over. */
async function expectOver(world: World, devices: readonly SimDevice[], among: readonly number[]): Promise<void> {
  for (const device of devices) {
    if (device.running) device.lose()
  }
  await world.run(60_000)
  const [first] = devices
  if (first === undefined) throw new Error('nobody')
  const manifest = await manifestOf(first)
  const generation = newest((await readKeyRing(first.store())).ring).generation
  expect(among).toContain(generation)
  for (const device of devices) {
    const { ring } = await readKeyRing(device.store())
    expect(newest(ring).generation, device.name).toBe(generation)
    expect(await manifestOf(device), device.name).toEqual(manifest)
    expect(manifest.vault, device.name).toMatchObject({ generation, keyRingHash: hashKeyRing(ring) })
    expect(await device.store().list('tasks'), device.name).toEqual([])
  }
  expect(manifest.devices).toHaveLength(devices.length)
}

describe('[K-07] [K-08] a device that is revoked', () => {
  it('goes from the manifest, new keys come, its mailbox is shut, and it forgets what it had', async () => {
    const { world, ann } = await start(1)
    const tablet = await linked(world, ann, 'tablet')
    expect(await tablet.face().account()).toMatchObject({ state: 'ready', holdsRoot: false })
    await revoke(world, ann, tablet)
    expect((await ann.face().devices()).some(({ revoking }) => revoking !== undefined)).toBe(true)
    await world.run(10_000)
    await expectOver(world, [ann], [2])
    tablet.lose()
    await world.run(5_000)
    expect(await tablet.face().account()).toEqual({ state: 'revoked' })
    expect(await readAccount(tablet.store())).not.toHaveProperty('rootSeed')
    for (const table of ['channels', 'lines', 'syncs', 'nodes', 'epochs', 'ratchets', 'contacts', 'logged'] as const) {
      expect(await tablet.store().list(table), table).toEqual([])
    }
    expect(await tablet.store().list('meta')).toHaveLength(1)
    expect(await tablet.handles.names()).not.toContain(HPKE_HANDLE)
    expect(await ann.face().devices()).toHaveLength(1)
  })

  it('that keeps what it had can’t append to the log, open the next vault, or use its mailbox', async () => {
    const { world, ann } = await start(2)
    const tablet = await linked(world, ann, 'tablet')
    const realm = await tablet.store().get('meta', 'realm')
    const device = await readDevice(tablet.store())
    const { ring } = await readKeyRing(tablet.store())
    const address = await logAddress({ store: tablet.store() }, ring)
    const privateKey = await tablet.handles.load(HPKE_HANDLE)
    if (realm?.kind !== 'realm' || device === undefined || privateKey === undefined) throw new Error('not linked')
    tablet.goAway()
    await revoke(world, ann, tablet)
    await world.run(20_000)

    const thief = world.relay.connect(() => {})
    const { logToken: token } = newest(ring)
    const rows = world.until(thief.call('log.fetch', { address, token, after: 0 }))
    await expect(rows).rejects.toMatchObject({ code: 'log/refused' })
    const entry = { id: world.random.dice(POST_ID_BYTES) as PostId, bytes: new Uint8Array(256) }
    const last = await ann.store().get('meta', 'log')
    const after = last?.kind === 'log' ? { position: last.position, head: last.head } : undefined
    if (after === undefined) throw new Error('no log')
    const append = world.until(thief.call('log.append', { address, token, after, entries: [entry] }))
    await expect(append).rejects.toMatchObject({ code: 'log/refused' })
    const { owner, vault, signature } = await world.until(thief.call('vault.get', { address }))
    if (owner === undefined || vault === undefined || signature === undefined) throw new Error('no vault')
    expect(vault.generation).toBe(2)
    const opened = openVault(await checkVaultRecord(vault, signature, ring.ownerKey), {
      kind: 'device',
      pair: { privateKey, publicKey: device.hpkeKey },
    })
    await expect(opened).rejects.toMatchObject({ code: 'vault/door' })
    const mailbox = { address: realm.mailbox, token: realm.mailboxToken }
    await expect(world.until(thief.call('mailbox.attach', mailbox))).rejects.toMatchObject({ code: 'mailbox/closed' })
  })

  it('opens nothing that is sealed from then on, and whatever was sealed before still opens for the others', async () => {
    const { world, ann } = await start(3)
    await say(ann, NOTES, 'before')
    const tablet = await linked(world, ann, 'tablet')
    const kept = (await readKeyRing(tablet.store())).ring
    await revoke(world, ann, tablet)
    await world.run(20_000)
    await say(ann, NOTES, 'after')
    await world.run(20_000)
    const { ring } = await readKeyRing(ann.store())
    const address = await logAddress({ store: ann.store() }, ring)
    const relay = world.relay.connect(() => {})
    const { entries } = await world.until(relay.call('log.fetch', { address, token: newest(ring).logToken, after: 0 }))
    const end = newest(ring).closes?.position ?? 0
    const [early, late] = [entries.filter((row) => row.position <= end), entries.filter((row) => row.position > end)]
    expect(early.length).toBeGreaterThan(0)
    expect(late.length).toBeGreaterThan(0)
    for (const { position, bytes } of entries) await openEntry(ring, { address, position }, bytes)
    for (const { position, bytes } of late) {
      await expect(openEntry(kept, { address, position }, bytes)).rejects.toThrow('log/generation')
      const asOld = bytes.with(4, 1) // the generation, in the entry's head
      await expect(openEntry(kept, { address, position }, asOld)).rejects.toThrow(CryptoError)
    }
    const fresh = await world.device('fresh')
    const words = (await ann.request('revealPhrase', null)).join(' ')
    const input = { key: { by: 'phrase', words }, deviceName: 'fresh', deviceKind: 'web' } as const
    await world.until(fresh.request('restore', input))
    await world.run(20_000)
    expect(await textsOf(fresh, NOTES)).toEqual(['before', 'after'])
  })

  it('[MAN12] is forgotten there to the end, though it crashes after any write of that', async () => {
    for (let write = 1; write <= 3; write++) {
      const { world, ann } = await start(110 + write)
      const tablet = await linked(world, ann, 'tablet')
      tablet.goAway()
      await revoke(world, ann, tablet)
      await world.run(20_000)
      tablet.crashAt(write, 'after')
      tablet.comeBack()
      await world.run(20_000)
      expect(await tablet.face().account(), `write ${write}`).toEqual({ state: 'revoked' })
      expect(await tablet.handles.names(), `write ${write}`).toEqual([])
    }
  })

  it('[MAN12] keeps nothing of what it was taking from the log in just that moment', async () => {
    const { world, ann } = await start(120)
    const tablet = await linked(world, ann, 'tablet')
    tablet.goAway()
    for (let i = 0; i < 6; i++) {
      await say(ann, NOTES, `note ${i}`)
      await world.run(5_000)
    }
    slowDisk(world, tablet, 2_000)
    tablet.comeBack()
    await world.run(3_000)
    await revoke(world, ann, tablet)
    await world.run(1_000)
    tablet.lose()
    await world.run(60_000)
    expect(await tablet.face().account()).toEqual({ state: 'revoked' })
    for (const table of ['channels', 'lines', 'blocks', 'blockIds', 'deltas', 'logged'] as const) {
      expect(await tablet.store().list(table), table).toEqual([])
    }
    expect(await tablet.store().list('meta')).toHaveLength(1)
  })

  it('is gone whole though the revoking device crashes at any of its writes', async () => {
    for (let write = 1; write <= 12; write++) {
      for (const side of crashSides(write)) {
        const { world, ann } = await start(100 + write)
        const tablet = await linked(world, ann, 'tablet')
        ann.crashAt(write, side)
        const asked = ann.request('revokeDevice', { deviceId: await idOf(tablet) })
        void asked.catch(() => undefined)
        await world.run(30_000)
        // A crash before it was noted: nothing was promised, and the person asks again.
        const isListed = (await manifestOf(ann)).devices.length > 1
        if (isListed) await revoke(world, ann, tablet)
        await world.run(30_000)
        await expectOver(world, [ann], [2])
      }
    }
  })

  it('by two devices at once is revoked once: one generation, whoever was first', async () => {
    for (let seed = 200; seed < 204; seed++) {
      const { world, ann } = await start(seed)
      const two = await twin(world, ann, 'two')
      ann.lose()
      await world.run(70_000)
      const tablet = await linked(world, ann, 'tablet')
      two.lose()
      await world.run(20_000)
      await Promise.all([ann, two].map((by) => revoke(world, by, tablet)))
      await world.run(60_000)
      await expectOver(world, [ann, two], [2])
    }
  })

  it('while another device revokes another one: both are out, and nobody’s door is left', async () => {
    const { world, ann } = await start(210)
    const two = await twin(world, ann, 'two')
    ann.lose()
    await world.run(70_000)
    const tablet = await linked(world, ann, 'tablet')
    const phone = await linked(world, ann, 'phone')
    two.lose()
    await world.run(20_000)
    await Promise.all([revoke(world, ann, tablet), revoke(world, two, phone)])
    await world.run(60_000)
    await expectOver(world, [ann, two], [2, 3])
    for (const gone of [tablet, phone]) {
      gone.lose()
      await world.run(5_000)
      expect(await gone.face().account()).toEqual({ state: 'revoked' })
    }
  })

  it('has its rotation finished by another device when the one that began is lost', async () => {
    const { world, ann } = await start(220)
    const two = await twin(world, ann, 'two')
    ann.lose()
    await world.run(70_000)
    const tablet = await linked(world, ann, 'tablet')
    // The manifest is out, and then the vault never takes anything of this device's.
    const busy = new RelayError('relay/busy', { retryable: true })
    ann.forge = (operation) => (operation === 'vault.put' ? busy : undefined)
    await revoke(world, ann, tablet)
    await world.run(5_000)
    ann.goAway()
    two.lose()
    await world.run(60_000)
    const { ring } = await readKeyRing(two.store())
    expect(newest(ring).generation).toBe(2)
    const left = await idOf(tablet)
    const ids = (await manifestOf(two)).devices.map(({ certificate }) => toBase64url(certificate.deviceId))
    expect(ids).not.toContain(left)
    ann.forge = () => undefined
    ann.comeBack()
    await world.run(60_000)
    await expectOver(world, [ann, two], [2])
  })

  it('[VLT5] has it finished as well by one that hears of it while it fits the vault to the manifest before', async () => {
    const { world, ann } = await start(221)
    const two = await twin(world, ann, 'two')
    ann.lose()
    await world.run(70_000)
    const tablet = await linked(world, ann, 'tablet')
    two.lose()
    await world.run(20_000)
    const { prfSalt } = await world.until(two.request('passkeyHandle', null))
    const [credentialId, prf] = [world.random.dice(40), world.random.dice(32)]
    await world.until(two.request('addPasskeyDoor', { credentialId, prfSalt, prf })) // the vault is to be looked at again
    two.goAway()
    const busy = new RelayError('relay/busy', { retryable: true })
    ann.forge = (operation) => (operation === 'vault.put' ? busy : undefined)
    await revoke(world, ann, tablet)
    await world.run(5_000)
    ann.goAway()
    let before = await readAccount(two.store())
    two.forge = (operation) => {
      if (operation !== 'account.get' || before === undefined) return undefined
      const { manifest } = before
      before = undefined
      return { manifest }
    }
    two.comeBack()
    await world.run(60_000)
    expect((await manifestOf(two)).devices).toHaveLength(2)
    expect(newest((await readKeyRing(two.store())).ring).generation).toBe(2)
  })
})
