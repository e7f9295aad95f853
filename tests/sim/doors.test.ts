import { describe, expect, it } from 'vitest'
import { HPKE_HANDLE } from '#app/account/device-signer.ts'
import { readKeyRing } from '#app/account/key-ring.ts'
import { readDevice } from '#app/account/read-account.ts'
import { logAddress } from '#app/account/vault.ts'
import { PASSKEY_SALT } from '#app/device/passkey-salt.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import { RelayError } from '#core/errors.ts'
import { readCard } from '#core/identity/card.ts'
import { decodePasskeyHandle, isOwnerOf } from '#core/identity/passkey-handle.ts'
import { checkVaultRecord } from '#core/identity/vault-record.ts'
import { type DoorKey, passkeySeed } from '#core/keys/door.ts'
import { encodeKeyRing, hashKeyRing, newest } from '#core/keys/key-ring.ts'
import { passphraseSeed } from '#core/keys/passphrase.ts'
import { closedDoorsOf, openVault } from '#core/keys/vault.ts'
import type { Address } from '#core/wire/ids.ts'
import type { ArgsOf, ReplyOf } from '#core/wire/operations.ts'
import { manifestOf, start } from '../support/sim/account.ts'
import { deviceIdOf } from '../support/sim/company.ts'
import { linked } from '../support/sim/link.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { twin } from '../support/sim/twin.ts'
import type { World } from '../support/sim/world.ts'

const PASSPHRASE = 'correct horse battery staple'

/** What somebody finds at the realm who knows the log's address. */
async function fetchVault(world: World, address: Address) {
  const connection = world.relay.connect(() => {})
  const { owner, vault, signature } = await world.until(connection.call('vault.get', { address }))
  connection.close()
  if (owner === undefined || vault === undefined || signature === undefined) throw new Error('no vault')
  return { owner, checked: await checkVaultRecord(vault, signature, owner) }
}

async function closedDoor(world: World, address: Address, kind: 'passphrase' | 'passkey') {
  const { checked } = await fetchVault(world, address)
  const door = closedDoorsOf(checked.record).find((one) => one.kind === kind)
  if (door === undefined) throw new Error(`no door by ${kind}`)
  return door
}

/** What anybody at the realm is answered now, to be said to the account's own device later. */
async function keepVault(world: World, device: SimDevice): Promise<ReplyOf<'vault.get'>> {
  const address = await logAddress({ store: device.store() }, (await readKeyRing(device.store())).ring)
  const connection = world.relay.connect(() => {})
  const answer = await world.until(connection.call('vault.get', { address }))
  connection.close()
  return answer
}

/** From the vault.get after the next `passed` ones on, a realm that is back where it was. @returns the vaults that it takes */
async function goesBack(device: SimDevice, to: ReplyOf<'vault.get'>, passed = 0): Promise<ArgsOf<'vault.put'>[]> {
  const log = await device.store().get('meta', 'log')
  const last =
    log?.kind === 'log' ? { position: log.position, head: log.head } : { position: 0, head: new Uint8Array(32) }
  const taken: ArgsOf<'vault.put'>[] = []
  let left = passed
  device.forge = (operation, args) => {
    if (operation === 'vault.get') return --left < 0 ? { ...to, ...taken.at(-1) } : undefined
    if (operation === 'log.back' && left < 0 && taken.length === 0) return { entries: [], more: false, last }
    if (operation !== 'vault.put' || left >= 0) return undefined
    taken.push(args as ArgsOf<'vault.put'>)
    return {}
  }
  return taken
}

describe('[K-09] doors of the vault', () => {
  it('a passphrase and its card open the account’s key ring, another passphrase does not', async () => {
    const { world, ann } = await start(1)
    const { card } = await world.until(ann.request('addPassphraseDoor', { passphrase: PASSPHRASE }))
    const { logAddress, ownerKey, doorId, origin } = readCard(card)
    expect(origin).toBe('https://realm.example')
    const { owner, checked } = await fetchVault(world, logAddress)
    expect(owner).toEqual(ownerKey)
    const door = closedDoorsOf(checked.record).find(({ id }) => Buffer.compare(id, doorId) === 0)
    if (door?.kind !== 'passphrase') throw new Error('not there')
    const key: DoorKey = { kind: 'passphrase', id: doorId, seed: await passphraseSeed(`  ${PASSPHRASE} `, door.params) }
    const { ring } = await openVault(checked, key, (await manifestOf(ann)).vault?.keyRingHash)
    expect(encodeKeyRing(ring)).toEqual(encodeKeyRing((await readKeyRing(ann.store())).ring))
    const wrong: DoorKey = { ...key, seed: await passphraseSeed(`${PASSPHRASE}!`, door.params) }
    await expect(openVault(checked, wrong)).rejects.toMatchObject({ code: 'vault/door' })
    expect(await ann.face().doors()).toMatchObject([{ kind: 'phrase' }, { kind: 'passphrase' }])
  })

  it('a passkey finds its door by its user handle and opens it by its secret', async () => {
    const { world, ann } = await start(2)
    const { userHandle, prfSalt } = await world.until(ann.request('passkeyHandle', null))
    expect(prfSalt).toEqual(PASSKEY_SALT)
    const prf = world.random.dice(32)
    const credentialId = world.random.dice(40)
    await world.until(ann.request('addPasskeyDoor', { credentialId, prfSalt, prf: prf.slice() }))
    const handle = decodePasskeyHandle(userHandle)
    const { owner, checked } = await fetchVault(world, handle.logAddress)
    expect(isOwnerOf(handle, owner)).toBe(true)
    const { id } = await closedDoor(world, handle.logAddress, 'passkey')
    const { ring } = await openVault(checked, { kind: 'passkey', id, seed: passkeySeed(prf) })
    expect(newest(ring).generation).toBe(1)
  })

  it('[K-08] one that is removed opens nothing of what comes: the ring has a new generation, the other doors stay', async () => {
    const { world, ann } = await start(3)
    const tablet = await linked(world, ann, 'tablet')
    const { card } = await world.until(ann.request('addPassphraseDoor', { passphrase: PASSPHRASE }))
    const { logAddress, doorId } = readCard(card)
    const door = await closedDoor(world, logAddress, 'passphrase')
    if (door.kind !== 'passphrase') throw new Error('another kind')
    const seed = await passphraseSeed(PASSPHRASE, door.params)
    const id = (await ann.face().doors()).find(({ kind }) => kind === 'passphrase')?.id ?? ''
    await world.until(ann.request('removeDoor', { doorId: id }))
    const { checked } = await fetchVault(world, logAddress)
    expect(checked.record.generation).toBe(2)
    const key: DoorKey = { kind: 'passphrase', id: doorId, seed }
    await expect(openVault(checked, key)).rejects.toMatchObject({ code: 'vault/door' })
    tablet.lose()
    await world.run(20_000)
    for (const device of [ann, tablet]) {
      const { ring } = await readKeyRing(device.store())
      expect(newest(ring).generation).toBe(2)
      expect((await manifestOf(device)).vault).toMatchObject({ generation: 2, keyRingHash: hashKeyRing(ring) })
    }
    await expect(world.until(ann.request('removeDoor', { doorId: id }))).rejects.toMatchObject({
      code: 'doors/unknown',
    })
  })

  it('[VLT7] [K-08] one that was removed stays closed where a realm is back from before that', async () => {
    const { world, ann } = await start(5)
    const { card } = await world.until(ann.request('addPassphraseDoor', { passphrase: PASSPHRASE }))
    const kept = await world.until(ann.request('addPassphraseDoor', { passphrase: `${PASSPHRASE} too` }))
    const { logAddress, doorId } = readCard(card)
    const door = await closedDoor(world, logAddress, 'passphrase')
    if (door.kind !== 'passphrase') throw new Error('another kind')
    const old = await keepVault(world, ann)
    await world.until(ann.request('removeDoor', { doorId: toBase64url(doorId) }))
    const taken = await goesBack(ann, old)
    ann.lose()
    await world.run(20_000)
    const [put] = taken
    if (put === undefined) throw new Error('the later ring was not put')
    const { ownerKey } = (await readKeyRing(ann.store())).ring
    const checked = await checkVaultRecord(put.vault, put.signature, ownerKey)
    expect(checked.record.generation).toBe(2)
    const key: DoorKey = { kind: 'passphrase', id: doorId, seed: await passphraseSeed(PASSPHRASE, door.params) }
    await expect(openVault(checked, key)).rejects.toMatchObject({ code: 'vault/door' })
    expect(closedDoorsOf(put.vault).map(({ id }) => id)).toEqual([readCard(kept.card).doorId])
    expect((await ann.face().doors()).map(({ id }) => id)).toEqual(['phrase', toBase64url(readCard(kept.card).doorId)])
  })

  it('[VLT7] [K-07] one of a device that was revoked is not sealed to, whichever vault the realm shows', async () => {
    const { world, ann } = await start(6)
    const tablet = await linked(world, ann, 'tablet')
    const device = await readDevice(tablet.store())
    const privateKey = await tablet.handles.load(HPKE_HANDLE)
    if (device === undefined || privateKey === undefined) throw new Error('not linked')
    const old = await keepVault(world, ann)
    tablet.goAway()
    await world.until(ann.request('revokeDevice', { deviceId: toBase64url(device.deviceId) }))
    await world.run(20_000)
    const taken = await goesBack(ann, old)
    await world.until(ann.request('addPassphraseDoor', { passphrase: PASSPHRASE }))
    expect(taken.map(({ vault }) => vault.generation)).toEqual([2, 2])
    const { ownerKey } = (await readKeyRing(ann.store())).ring
    const key: DoorKey = { kind: 'device', pair: { privateKey, publicKey: device.hpkeKey } }
    for (const { vault, signature } of taken) {
      const opened = openVault(await checkVaultRecord(vault, signature, ownerKey), key)
      await expect(opened).rejects.toMatchObject({ code: 'vault/door' })
    }
  })

  it('[VLT5] one that goes where a realm is back from before it was made takes a rotation with it all the same', async () => {
    const { world, ann } = await start(8)
    const two = await twin(world, ann, 'two')
    const phone = await linked(world, ann, 'phone')
    const old = await keepVault(world, ann)
    await world.until(ann.request('revokeDevice', { deviceId: (await deviceIdOf(phone)) ?? '' }))
    await world.run(20_000)
    const tablet = await linked(world, ann, 'tablet')
    two.lose()
    await world.run(20_000)
    const busy = new RelayError('relay/busy', { retryable: true })
    ann.forge = (operation) => (operation === 'vault.put' ? busy : undefined)
    await world.until(ann.request('revokeDevice', { deviceId: (await deviceIdOf(tablet)) ?? '' }))
    await world.run(5_000)
    ann.goAway()
    const taken = await goesBack(two, old)
    two.lose()
    await world.run(20_000)
    expect(taken.map(({ vault }) => vault.generation)).toEqual([2, 3])
  })

  it('[VLT7] which there are is known to a device that was just restored from the words too', async () => {
    const { world, ann } = await start(7)
    const { card } = await world.until(ann.request('addPassphraseDoor', { passphrase: PASSPHRASE }))
    const kept = await world.until(ann.request('addPassphraseDoor', { passphrase: `${PASSPHRASE} too` }))
    const old = await keepVault(world, ann)
    await world.until(ann.request('removeDoor', { doorId: toBase64url(readCard(card).doorId) }))
    const words = (await ann.request('revealPhrase', null)).join(' ')
    ann.goAway()
    const fresh = await world.device('fresh')
    const taken = await goesBack(fresh, old, 1)
    const input = { key: { by: 'phrase', words }, deviceName: 'fresh', deviceKind: 'web' } as const
    await world.until(fresh.request('restore', input))
    await world.run(20_000)
    expect(taken.map(({ vault }) => vault.generation)).toEqual([2, 2]) // and then this device has a door, too
    for (const { vault } of taken) {
      expect(closedDoorsOf(vault).map(({ id }) => id)).toEqual([readCard(kept.card).doorId])
    }
  })

  it('are made by a device with the root alone, and a passphrase that is too short is none', async () => {
    const { world, ann } = await start(4)
    const tablet = await linked(world, ann, 'tablet')
    const byTablet = world.until(tablet.request('addPassphraseDoor', { passphrase: PASSPHRASE }))
    await expect(byTablet).rejects.toMatchObject({ code: 'devices/no-root' })
    const short = world.until(ann.request('addPassphraseDoor', { passphrase: 'short' }))
    await expect(short).rejects.toMatchObject({ code: 'passphrase/short' })
  })
})
