import { beforeAll, describe, expect, it } from 'vitest'
import { toHex } from '#core/bytes/hex.ts'
import { type Argon2Params, DEFAULT_COST } from '#core/crypto/argon2id.ts'
import { signingKeyFromSeed } from '#core/crypto/sign.ts'
import { dhKeyPairFrom } from '#core/crypto/x25519.ts'
import { CryptoError, UsageError } from '#core/errors.ts'
import { checkVaultRecord, signVaultRecord } from '#core/identity/vault-record.ts'
import { type ClosedDoor, type Door, passkeySeed, phraseDoor, seedDoor } from '#core/keys/door.ts'
import { hashKeyRing, makeKeyRing, rotateKeyRing } from '#core/keys/key-ring.ts'
import { passphraseSeed } from '#core/keys/passphrase.ts'
import { closedDoorsOf, MAX_DEVICE_DOORS, openVault, sealVault } from '#core/keys/vault.ts'
import type { VaultRecord } from '#core/wire/operations.ts'
import { account, bytes, countingDice, device } from '../log/support.ts'

const owner = await signingKeyFromSeed(bytes(40))
const ring = makeKeyRing({ account, logAddressSecret: bytes(4), ownerKey: owner.publicKey }, countingDice())
const phraseSeed = bytes(41)
const cheap: Argon2Params = { salt: bytes(42).slice(0, 16), memoryKib: 8 * 1024, passes: 1, lanes: 1 }
const byPassphrase = { kind: 'passphrase', id: bytes(43).slice(0, 16), params: cheap } as const
const byPasskey = {
  kind: 'passkey',
  id: bytes(44).slice(0, 16),
  params: { credentialId: bytes(45), prfSalt: bytes(46) },
} as const
const laptop = await dhKeyPairFrom(bytes(47))
const phone = await dhKeyPairFrom(bytes(48))
const passkey = passkeySeed(bytes(49))
const deviceDoor = (n: number, publicKey: Uint8Array): Door => ({
  kind: 'device',
  deviceId: device(n),
  publicKey,
  name: `device ${n}`,
})
const opened = (record: VaultRecord) => ({ record, owner: owner.publicKey })

let typed: Uint8Array
let doors: Door[]
let record: VaultRecord

beforeAll(async () => {
  typed = await passphraseSeed('correct horse battery', cheap)
  doors = [
    await phraseDoor(phraseSeed),
    deviceDoor(1, laptop.publicKey),
    deviceDoor(2, phone.publicKey),
    await seedDoor<ClosedDoor>(byPassphrase, typed, 'Passphrase'),
    await seedDoor<ClosedDoor>(byPasskey, passkey, 'Key on the ring'),
  ]
  record = await sealVault(ring, 3, doors, countingDice(5))
})

describe('the vault', () => {
  it('[K-09] opens through each of its doors, and tells what the next rotation needs', async () => {
    const keys = [
      { kind: 'phrase', seed: phraseSeed },
      { kind: 'device', pair: laptop },
      { kind: 'device', pair: phone },
      { kind: 'passphrase', id: byPassphrase.id, seed: typed },
      { kind: 'passkey', id: byPasskey.id, seed: passkey },
    ] as const
    for (const key of keys) {
      expect(await openVault(opened(record), key, hashKeyRing(ring))).toEqual({ ring, doors })
    }
  })

  it('[K-09] a passphrase or passkey door says how to come to its key, before it is open', () => {
    expect(closedDoorsOf(record)).toEqual([byPassphrase, byPasskey])
  })

  it('[K-09] opens through no other key', async () => {
    const stranger = await dhKeyPairFrom(bytes(50))
    await expect(openVault(opened(record), { kind: 'phrase', seed: bytes(51) })).rejects.toThrow('vault/door')
    await expect(openVault(opened(record), { kind: 'device', pair: stranger })).rejects.toThrow('vault/door')
    const { id } = byPassphrase
    const wrong = await passphraseSeed('correct horse batterY', cheap)
    await expect(openVault(opened(record), { kind: 'passphrase', id, seed: wrong })).rejects.toThrow('vault/door')
    await expect(openVault(opened(record), { kind: 'passkey', id, seed: typed })).rejects.toThrow('vault/door')
  })

  it('[K-08] a rotation closes the door of a device that is not in it, and the others type nothing', async () => {
    const rotated = rotateKeyRing(ring, undefined, countingDice(6))
    const remaining = doors.filter((door) => door.kind !== 'device' || toHex(door.deviceId) !== toHex(device(2)))
    const next = await sealVault(rotated, 4, remaining, countingDice(7))
    await expect(openVault(opened(next), { kind: 'device', pair: phone })).rejects.toThrow('vault/door')
    expect((await openVault(opened(next), { kind: 'device', pair: laptop })).ring).toEqual(rotated)
    const { ring: typedAgain } = await openVault(opened(next), {
      kind: 'passphrase',
      id: byPassphrase.id,
      seed: typed,
    })
    expect(typedAgain).toEqual(rotated)
    expect(next).toMatchObject({ number: 4, generation: 2 })
  })

  it('[T-06] the relay reads in it neither a device, nor a name, nor a key that the manifest shows', () => {
    const hex = toHex(record.body)
    for (const door of doors) {
      expect(hex).not.toContain(toHex(door.publicKey))
      if (door.kind === 'device') expect(hex).not.toContain(toHex(door.deviceId))
      if ('name' in door) expect(hex).not.toContain(toHex(new TextEncoder().encode(door.name)))
    }
    expect(hex).not.toContain(toHex(account))
    expect(hex).not.toContain(toHex(ring.logAddressSecret))
  })

  it('[VLT1] is the one that its owner signed', async () => {
    const signature = await signVaultRecord(record, owner)
    expect(await checkVaultRecord(record, signature, owner.publicKey)).toEqual(opened(record))
    const swapped = await sealVault(ring, 3, [await phraseDoor(bytes(52)), ...doors.slice(1)], countingDice(8))
    const forged: VaultRecord[] = [
      { ...record, number: 4 },
      { ...record, generation: 2 },
      { ...record, tokenHash: bytes(9) as typeof record.tokenHash },
      { ...record, body: record.body.with(30, (record.body[30] ?? 0) ^ 1) },
      swapped,
    ]
    for (const other of forged) {
      await expect(checkVaultRecord(other, signature, owner.publicKey)).rejects.toThrow('vault/signature')
    }
    const stranger = await signingKeyFromSeed(bytes(53))
    await expect(checkVaultRecord(record, signature, stranger.publicKey)).rejects.toThrow('vault/signature')
    const theirs = await signVaultRecord(record, stranger)
    await expect(checkVaultRecord(record, theirs, owner.publicKey)).rejects.toThrow('vault/signature')
  })

  it('[VLT4] an opened ring must be the one that was expected', async () => {
    const key = { kind: 'phrase', seed: phraseSeed } as const
    const other = makeKeyRing({ account, logAddressSecret: bytes(4), ownerKey: owner.publicKey }, countingDice(9))
    await expect(openVault(opened(record), key, hashKeyRing(other))).rejects.toThrow('vault/key-ring')
    await expect(openVault({ record, owner: bytes(54) }, key)).rejects.toThrow('vault/owner')
    await expect(openVault(opened({ ...record, generation: 2 }), key)).rejects.toThrow('vault/generation')
    const token = bytes(9) as typeof record.tokenHash
    await expect(openVault(opened({ ...record, tokenHash: token }), key)).rejects.toThrow('vault/generation')
  })

  it('[VLT1] its boxes open under its own number, and its ring with its own doors only', async () => {
    const key = { kind: 'phrase', seed: phraseSeed } as const
    await expect(openVault(opened({ ...record, number: 4 }), key)).rejects.toThrow('vault/door')
    const { id } = byPassphrase
    const at = toHex(record.body).indexOf(toHex(id)) / 2
    const renamed = { ...record, body: record.body.with(at, (record.body[at] ?? 0) ^ 1) }
    await expect(openVault(opened(renamed), key)).rejects.toThrow(CryptoError)
  })

  it('[K-09] has room for every device of a manifest and no more', async () => {
    const many = Array.from({ length: MAX_DEVICE_DOORS }, (_, n) => deviceDoor(n, laptop.publicKey))
    const full = await sealVault(ring, 1, many, countingDice(10))
    expect((await openVault(opened(full), { kind: 'device', pair: laptop })).doors).toEqual(many)
    await expect(sealVault(ring, 1, [...many, deviceDoor(70, laptop.publicKey)], countingDice())).rejects.toThrow(
      UsageError,
    )
  })

  it('[R-06] parameters that would cost hours are refused before anything is typed', async () => {
    const costly: ClosedDoor = { ...byPassphrase, params: { ...cheap, memoryKib: 4_000_000 } }
    const evil = await sealVault(ring, 1, [await seedDoor<ClosedDoor>(costly, typed, '')], countingDice())
    expect(() => closedDoorsOf(evil)).toThrow('argon2/params')
    await expect(passphraseSeed('correct horse battery', costly.params)).rejects.toThrow('argon2/params')
    expect(DEFAULT_COST.memoryKib).toBeGreaterThanOrEqual(19 * 1024)
  })
})
