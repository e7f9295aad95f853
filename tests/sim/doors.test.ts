import { describe, expect, it } from 'vitest'
import { readKeyRing } from '#app/account/key-ring.ts'
import { PASSKEY_SALT } from '#app/device/passkey-salt.ts'
import { readCard } from '#core/identity/card.ts'
import { decodePasskeyHandle, isOwnerOf } from '#core/identity/passkey-handle.ts'
import { checkVaultRecord } from '#core/identity/vault-record.ts'
import { type DoorKey, passkeySeed } from '#core/keys/door.ts'
import { encodeKeyRing, hashKeyRing, newest } from '#core/keys/key-ring.ts'
import { passphraseSeed } from '#core/keys/passphrase.ts'
import { closedDoorsOf, openVault } from '#core/keys/vault.ts'
import type { Address } from '#core/wire/ids.ts'
import { manifestOf, start } from '../support/sim/account.ts'
import { linked } from '../support/sim/link.ts'
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

  it('are made by a device with the root alone, and a passphrase that is too short is none', async () => {
    const { world, ann } = await start(4)
    const tablet = await linked(world, ann, 'tablet')
    const byTablet = world.until(tablet.request('addPassphraseDoor', { passphrase: PASSPHRASE }))
    await expect(byTablet).rejects.toMatchObject({ code: 'devices/no-root' })
    const short = world.until(ann.request('addPassphraseDoor', { passphrase: 'short' }))
    await expect(short).rejects.toMatchObject({ code: 'passphrase/short' })
  })
})
