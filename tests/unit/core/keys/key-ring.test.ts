import { describe, expect, it } from 'vitest'
import { signingKeyFromSeed } from '#core/crypto/sign.ts'
import { UsageError, WireError } from '#core/errors.ts'
import {
  accountHpkePair,
  continuesKeyRing,
  decodeKeyRing,
  encodeKeyRing,
  hashKeyRing,
  logAddressOf,
  logTokenHash,
  MAX_GENERATIONS,
  newest,
  rotateKeyRing,
} from '#core/keys/key-ring.ts'
import { accountKeys, logOwner } from '#core/keys/tree.ts'
import type { Head } from '#core/wire/ids.ts'
import { address, bytes, countingDice, ring } from '../log/support.ts'

const end = { address, position: 12, head: bytes(20) as Head }
const rotated = rotateKeyRing(ring, end, countingDice(1))

describe('the key ring', () => {
  it('[K-08] a rotation adds a generation of new keys and changes none', () => {
    expect(rotated.generations.map(({ generation }) => generation)).toEqual([1, 2])
    expect(rotated.generations[0]).toBe(newest(ring))
    expect(newest(rotated).closes).toEqual(end)
    for (const key of ['logKey', 'logToken', 'hpkeSeed'] as const) {
      expect(newest(rotated)[key]).not.toEqual(newest(ring)[key])
    }
    expect(logTokenHash(newest(rotated))).not.toEqual(logTokenHash(newest(ring)))
  })

  it('[KRG1] has one encoding', () => {
    for (const one of [ring, rotated, rotateKeyRing(rotated, undefined, countingDice(2))]) {
      expect(decodeKeyRing(encodeKeyRing(one))).toEqual(one)
    }
    const encoded = encodeKeyRing(rotated)
    expect(() => decodeKeyRing(encoded.with(0, 2))).toThrow('key-ring/version')
    expect(() => decodeKeyRing(new Uint8Array([...encoded, 0]))).toThrow('reader/trailing')
    expect(() => decodeKeyRing(encoded.slice(0, -1))).toThrow('reader/short')
    expect(() => decodeKeyRing(encoded.with(98, 0)), 'no generation').toThrow('key-ring/generations')
    expect(() => decodeKeyRing(encoded.with(97, 2)), 'too many').toThrow('key-ring/generations')
    expect(() => decodeKeyRing(encoded.with(99 + 96, 1)), 'the first one closes none').toThrow('key-ring/closes')
    expect(() => decodeKeyRing(encoded.with(99 + 96, 9))).toThrow(WireError)
  })

  it('[KRG2] a newer one continues an older one, or it is another', () => {
    expect(continuesKeyRing(ring, rotated)).toBe(true)
    expect(continuesKeyRing(rotated, rotated)).toBe(true)
    expect(continuesKeyRing(rotated, ring), 'gone back').toBe(false)
    const [first, second] = rotated.generations
    if (first === undefined || second === undefined) throw new Error('two generations')
    const swapped = { ...rotated, generations: [{ ...first, logKey: bytes(9) }, second] }
    expect(continuesKeyRing(ring, swapped)).toBe(false)
    expect(continuesKeyRing(ring, { ...rotated, ownerKey: bytes(9) })).toBe(false)
  })

  it('[K-08] its hash changes with any of it', () => {
    expect(hashKeyRing(ring)).toEqual(hashKeyRing(decodeKeyRing(encodeKeyRing(ring))))
    expect(hashKeyRing(rotated)).not.toEqual(hashKeyRing(ring))
  })

  it('[K-08] ends at its limit instead of growing past what a vault holds', () => {
    let full = ring
    for (let n = 1; n < MAX_GENERATIONS; n++) full = rotateKeyRing(full, end, countingDice(n))
    expect(decodeKeyRing(encodeKeyRing(full)).generations).toHaveLength(MAX_GENERATIONS)
    expect(() => rotateKeyRing(full, end, countingDice())).toThrow(UsageError)
  })

  it('[C-07] each generation has its own HPKE key, the same on every device', async () => {
    const { publicKey } = await accountHpkePair(newest(ring))
    expect((await accountHpkePair(newest(decodeKeyRing(encodeKeyRing(ring))))).publicKey).toEqual(publicKey)
    expect((await accountHpkePair(newest(rotated))).publicKey).not.toEqual(publicKey)
    expect(publicKey).not.toEqual(newest(ring).hpkeSeed)
  })

  it('[T-06] the log of an account lies elsewhere at every realm', () => {
    expect(logAddressOf(bytes(1), bytes(2))).toEqual(logAddressOf(bytes(1), bytes(2)))
    expect(logAddressOf(bytes(1), bytes(3))).not.toEqual(logAddressOf(bytes(1), bytes(2)))
  })
})

describe("the log's owner", () => {
  it('[VLT1] is a key of its own: the relay does not learn the account', async () => {
    const keys = await accountKeys(new Uint8Array(64).fill(7))
    const owner = await logOwner(keys.rootSeed)
    expect(owner.publicKey).not.toEqual(keys.account)
    expect((await logOwner(keys.rootSeed)).publicKey).toEqual(owner.publicKey)
    expect((await signingKeyFromSeed(keys.rootSeed)).publicKey).toEqual(keys.account)
  })
})
