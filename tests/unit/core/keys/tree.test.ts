import { hkdfSync } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { describe, expect, it } from 'vitest'
import { UsageError } from '#core/errors.ts'
import { accountKeys } from '#core/keys/tree.ts'

const seed = new Uint8Array(64).fill(7)
const derived = (label: string) => new Uint8Array(hkdfSync('sha512', seed, '', label, 32))

describe('the key tree', () => {
  it('[K-01] every key is HKDF-SHA512 of the seed under its own label', async () => {
    const keys = await accountKeys(seed)
    expect(keys.rootSeed).toEqual(derived('stave/1/account-root'))
    expect(keys.phraseDoorSeed).toEqual(derived('stave/1/phrase-door'))
    expect(keys.logAddressSecret).toEqual(derived('stave/1/log-address'))
    expect(keys.account).toEqual(ed25519.getPublicKey(keys.rootSeed))
    expect(keys.root.publicKey).toEqual(keys.account)
    const message = new TextEncoder().encode('x')
    expect(ed25519.verify(await keys.root.sign(message), message, keys.account)).toBe(true)
  })

  it('[K-01] another seed gives another account', async () => {
    expect((await accountKeys(seed.with(63, 0))).account).not.toEqual((await accountKeys(seed)).account)
    await expect(accountKeys(new Uint8Array(32))).rejects.toThrow(UsageError)
  })
})
