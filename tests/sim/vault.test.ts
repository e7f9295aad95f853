import { describe, expect, it } from 'vitest'
import { readKeyRing } from '#app/account/key-ring.ts'
import { readDevice } from '#app/account/read-account.ts'
import { logAddress } from '#app/account/vault.ts'
import { NOTES } from '#app/log/notes.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import { RelayError } from '#core/errors.ts'
import { encodeKeyRing, hashKeyRing, newest, rotateKeyRing } from '#core/keys/key-ring.ts'
import { encodeCbor } from '#core/wire/cbor.ts'
import { manifestOf, start } from '../support/sim/account.ts'
import { deviceIdOf } from '../support/sim/company.ts'
import { linked } from '../support/sim/link.ts'
import { say } from '../support/sim/meet.ts'
import { twin } from '../support/sim/twin.ts'
import { World } from '../support/sim/world.ts'

const busy = new RelayError('relay/busy', { retryable: true })

describe('the vault of an account with several devices', () => {
  it('[K-09] lies at the realm with a door for each device, and its ring is the one that the manifest names', async () => {
    const { world, ann } = await start(1)
    const two = await twin(world, ann, 'two')
    for (const device of [ann, two]) device.lose()
    await world.run(20_000)
    const [one, other] = await Promise.all([readKeyRing(ann.store()), readKeyRing(two.store())])
    expect(one.vaultNumber).toBeGreaterThan(0)
    expect(encodeKeyRing(one.ring)).toEqual(encodeKeyRing(other.ring))
    expect((await manifestOf(ann)).vault).toMatchObject({ generation: 1, keyRingHash: hashKeyRing(one.ring) })
  })

  it('[L-02] a note that was written before the realm took the vault goes to the log as soon as it did', async () => {
    const world = await World.make(6)
    const ann = await world.device('ann')
    let refusals = 3
    ann.forge = (operation) => (operation === 'log.open' && refusals-- > 0 ? busy : undefined)
    await world.until(ann.request('createIdentity', { name: 'Ann', deviceName: 'laptop', deviceKind: 'web' }))
    await say(ann, NOTES, 'the key hangs in the shed')
    await world.run(3_000)
    expect(await ann.lines(NOTES)).toMatchObject([{ state: 'waiting' }])
    await world.run(17_000)
    expect(await ann.lines(NOTES)).toMatchObject([{ state: 'sent' }])
  })

  it('[K-03] a device that is the only one left after a restore has a door too, and rotates', async () => {
    const { world, ann } = await start(2)
    const words = (await ann.request('revealPhrase', null)).join(' ')
    const { card } = await world.until(ann.request('addPassphraseDoor', { passphrase: 'correct horse battery' }))
    expect(card).toMatch(/^stave-card:/)
    const lost = toBase64url((await readDevice(ann.store()))?.deviceId ?? new Uint8Array())
    ann.goAway()
    const fresh = await world.device('fresh')
    const input = { key: { by: 'phrase', words }, deviceName: 'fresh', deviceKind: 'web' } as const
    await world.until(fresh.request('restore', input))
    await world.run(20_000)
    await world.until(fresh.request('revokeDevice', { deviceId: lost }))
    await world.run(30_000)
    const { ring, ...record } = await readKeyRing(fresh.store())
    expect(newest(ring).generation).toBe(2)
    expect(record).not.toHaveProperty('phraseDoorSeed')
    expect(await fresh.face().doors()).toMatchObject([{ kind: 'phrase' }, { kind: 'passphrase' }])
    ann.comeBack()
    await world.run(5_000)
    expect(await ann.face().account()).toEqual({ state: 'revoked' })
  })

  it('[VLT8] a restored device opens the vault by the words until its own door is in it, whoever changes it before', async () => {
    const { world, ann } = await start(7)
    const words = (await ann.request('revealPhrase', null)).join(' ')
    ann.forge = (operation) => (operation === 'account.get' ? busy : undefined) // it has not heard of another device
    const fresh = await world.device('fresh')
    fresh.forge = (operation) => (operation === 'vault.put' ? busy : undefined)
    const input = { key: { by: 'phrase', words }, deviceName: 'fresh', deviceKind: 'web' } as const
    await world.until(fresh.request('restore', input))
    await world.run(5_000)
    const { prfSalt } = await world.until(ann.request('passkeyHandle', null))
    const [credentialId, prf] = [world.random.dice(40), world.random.dice(32)]
    await world.until(ann.request('addPasskeyDoor', { credentialId, prfSalt, prf }))
    ann.goAway()
    fresh.lose()
    await world.run(20_000)
    fresh.forge = () => undefined
    fresh.lose()
    await world.run(60_000)
    const { doors, ...record } = await readKeyRing(fresh.store())
    expect(doors).toContainEqual(expect.objectContaining({ id: await deviceIdOf(fresh) }))
    expect(record).not.toHaveProperty('phraseDoorSeed')
  })

  it('a realm that said that it had taken a rotation, and had not, leaves the account with one ring', async () => {
    const { world, ann } = await start(3)
    const two = await twin(world, ann, 'two')
    ann.lose()
    await world.run(70_000)
    const tablet = await linked(world, ann, 'tablet')
    const deviceId = toBase64url((await readDevice(tablet.store()))?.deviceId ?? new Uint8Array())
    ann.forge = (operation) => (operation === 'vault.put' ? {} : undefined)
    await world.until(ann.request('revokeDevice', { deviceId }))
    await world.run(20_000)
    ann.forge = () => undefined
    for (const device of [two, ann, two]) {
      device.lose()
      await world.run(90_000)
    }
    const [one, other] = await Promise.all([readKeyRing(ann.store()), readKeyRing(two.store())])
    expect(encodeKeyRing(one.ring)).toEqual(encodeKeyRing(other.ring))
    expect((await manifestOf(two)).vault).toMatchObject({ keyRingHash: hashKeyRing(one.ring) })
    expect(newest(one.ring).generation).toBeGreaterThan(1)
  })

  it('[I-08] a realm that is back from before a rotation gets the later ring again, with the same doors', async () => {
    const { world, ann } = await start(4)
    const tablet = await linked(world, ann, 'tablet')
    // As if the realm had lost it: this device has rotated, and nothing of that is there.
    const { ring, vaultNumber, doors } = await readKeyRing(ann.store())
    const address = await logAddress({ store: ann.store() }, ring)
    const log = await ann.store().get('meta', 'log')
    if (log?.kind !== 'log') throw new Error('no log')
    const later = rotateKeyRing(ring, { address, position: log.position, head: log.head }, world.random.dice)
    const record = { kind: 'keyRing', bytes: encodeKeyRing(later), vaultNumber: vaultNumber + 1, doors }
    await ann.disk.write([{ put: 'meta', key: 'keyRing', value: encodeCbor(record) }], undefined)
    for (const device of [ann, tablet]) {
      device.lose()
      await world.run(30_000)
    }
    for (const device of [ann, tablet]) {
      const known = await readKeyRing(device.store())
      expect(encodeKeyRing(known.ring), device.name).toEqual(encodeKeyRing(later))
      expect((await manifestOf(device)).vault, device.name).toMatchObject({ keyRingHash: hashKeyRing(later) })
    }
  })
})
