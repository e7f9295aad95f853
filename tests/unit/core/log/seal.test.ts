import { describe, expect, it } from 'vitest'
import { concatBytes } from '#core/bytes/concat.ts'
import { toUtf8 } from '#core/bytes/utf8.ts'
import { firstLogHead } from '#core/channel/log-chain.ts'
import { CryptoError } from '#core/errors.ts'
import { newest, rotateKeyRing } from '#core/keys/key-ring.ts'
import type { Entry } from '#core/log/entry.ts'
import { openEntry, sealEntry } from '#core/log/seal.ts'
import { isBucket } from '#core/padding/buckets.ts'
import type { Address } from '#core/wire/ids.ts'
import { address, bytes, countingDice, device, line, ring } from './support.ts'

const entry: Entry = { v: 1, by: device(9), deltas: [line(10, 1), line(11, 2, { state: 'sent' })] }
const place = { address, position: 7 }
const sealed = await sealEntry(newest(ring), place, entry, countingDice(1))
const end = { address, position: 7, head: firstLogHead(address) }
const rotated = rotateKeyRing(ring, end, countingDice(2))

describe('a sealed entry', () => {
  it('[L-01] opens in its place, with the ring, and fills a bucket', async () => {
    expect(await openEntry(ring, place, sealed)).toEqual(entry)
    expect(isBucket(sealed.length)).toBe(true)
  })

  it('[L-01] the same entry sealed twice shares no bytes past its header', async () => {
    const again = await sealEntry(newest(ring), place, entry, countingDice(3))
    expect(again.subarray(0, 5)).toEqual(sealed.subarray(0, 5))
    expect(again.subarray(5, 17)).not.toEqual(sealed.subarray(5, 17))
  })

  it('[LGE2] does not open at another position, in another log, or said to be of another generation', async () => {
    await expect(openEntry(ring, { address, position: 8 }, sealed)).rejects.toThrow(CryptoError)
    await expect(openEntry(ring, { address: bytes(8) as Address, position: 7 }, sealed)).rejects.toThrow('aead/open')
    await expect(openEntry(rotated, place, sealed.with(4, 2))).rejects.toThrow('aead/open')
    await expect(openEntry(ring, place, sealed.with(4, 2))).rejects.toThrow('log/generation')
    await expect(openEntry(ring, place, sealed.with(0, 2))).rejects.toThrow('log/newer')
  })

  it('[K-08] nothing sealed before a rotation stops opening', async () => {
    expect(await openEntry(rotated, place, sealed)).toEqual(entry)
  })

  it('[K-08] what is sealed after a rotation does not open with the ring from before', async () => {
    const later = await sealEntry(newest(rotated), { address, position: 8 }, entry, countingDice(4))
    expect(await openEntry(rotated, { address, position: 8 }, later)).toEqual(entry)
    await expect(openEntry(ring, { address, position: 8 }, later)).rejects.toThrow('log/generation')
    await expect(openEntry(ring, { address, position: 8 }, later.with(4, 1))).rejects.toThrow('aead/open')
  })

  it('[KRG3] under a generation that was closed: only up to where it was, and only in the log where it was', async () => {
    const place8 = { address, position: 8 }
    const late = await sealEntry(newest(ring), place8, entry, countingDice(5))
    expect(await openEntry(ring, place8, late), 'the revoked device would take it').toEqual(entry)
    await expect(openEntry(rotated, place8, late)).rejects.toThrow('log/closed')
    const elsewhere = { address: bytes(8) as Address, position: 1 }
    const moved = await sealEntry(newest(ring), elsewhere, entry, countingDice(6))
    await expect(openEntry(rotated, elsewhere, moved)).rejects.toThrow('log/closed')
    const neverOpened = rotateKeyRing(ring, undefined, countingDice(7))
    await expect(openEntry(neverOpened, place, sealed)).rejects.toThrow('log/closed')
  })

  it('[L-01] a change of any byte is refused', async () => {
    for (let at = 5; at < sealed.length; at += 7) {
      const changed = sealed.with(at, (sealed[at] ?? 0) ^ 1)
      await expect(openEntry(ring, place, changed)).rejects.toThrow(CryptoError)
    }
    await expect(openEntry(ring, place, concatBytes(sealed, toUtf8('x')))).rejects.toThrow(CryptoError)
  })

  it('[LGE1] what would be larger than an entry may be is not sealed', async () => {
    const text = 'x'.repeat(64 * 1024)
    const deltas = Array.from({ length: 9 }, (_, i) => line(i, i, { text }))
    await expect(sealEntry(newest(ring), place, { ...entry, deltas }, countingDice())).rejects.toThrow('log/too-large')
  })
})
