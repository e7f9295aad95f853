import { describe, expect, it } from 'vitest'
import { concatBytes } from '#core/bytes/concat.ts'
import { sealRandomNonce } from '#core/crypto/aead.ts'
import { labels } from '#core/crypto/labels.ts'
import { dhKeyPairFrom } from '#core/crypto/x25519.ts'
import { deflate } from '#core/log/deflate.ts'
import {
  MAX_PIECE_LINES,
  openSharedPiece,
  openShareKey,
  packShared,
  type SharedLine,
  type SharePlace,
  sealSharedPiece,
  sealShareKey,
} from '#core/log/shared-history.ts'
import { isBucket } from '#core/padding/buckets.ts'
import { pad } from '#core/padding/padding.ts'
import { encodeCbor } from '#core/wire/cbor.ts'
import type { AccountId, Address, MessageId } from '#core/wire/ids.ts'
import { MAX_STASH_BYTES, MAX_STASH_PIECES } from '#core/wire/limits.ts'
import { Seeded } from '../../../support/seeded.ts'

const { dice } = new Seeded(4_100)
const place: SharePlace = { address: dice(32) as Address, to: dice(32) as AccountId, stash: dice(16) }
const key = dice(32)
const nth = { n: 0, of: 2 }

function line(order: number, text = `line ${order}`): SharedLine {
  return { id: dice(16) as MessageId, author: place.to, atMs: 1, order, text }
}

async function* each(lines: readonly SharedLine[]): AsyncGenerator<SharedLine> {
  yield* lines
}

async function roundTrip(lines: readonly SharedLine[]): Promise<readonly SharedLine[]> {
  const { packed, count } = await packShared(each(lines))
  const opened: SharedLine[] = []
  for (const [n, one] of packed.entries()) {
    const sealed = await sealSharedPiece(key, place, { n, of: packed.length }, one, dice)
    expect(sealed.length).toBeLessThanOrEqual(MAX_STASH_BYTES)
    expect(isBucket(sealed.length)).toBe(true)
    opened.push(...(await openSharedPiece(key, place, { n, of: packed.length }, sealed)))
  }
  expect(opened).toHaveLength(count)
  return opened
}

describe('shared history', () => {
  it('[C-11] comes out as it went in, in their order, whatever it takes', async () => {
    const short = Array.from({ length: MAX_PIECE_LINES + 3 }, (_, n) => line(n + 1))
    expect(await roundTrip(short)).toEqual(short)
    expect((await packShared(each(short))).packed).toHaveLength(2)
    const noise = () => Buffer.from(dice(40_000)).toString('base64').slice(0, 50_000)
    const long = Array.from({ length: 40 }, (_, n) => line(n + 1, noise())) // does not compress
    expect(await roundTrip(long)).toEqual(long)
    expect((await packShared(each([]))).packed).toEqual([])
  })

  it('[SHR2] [R-06] ends with the first lines that fill the stash', async () => {
    const text = Buffer.from(dice(40_000)).toString('base64').slice(0, 50_000)
    async function* endless(): AsyncGenerator<SharedLine> {
      for (let n = 1; ; n++) yield line(n, `${n} ${Buffer.from(dice(36_000)).toString('base64')}${text.slice(0, 9)}`)
    }
    const { packed, count } = await packShared(endless())
    expect(packed).toHaveLength(MAX_STASH_PIECES)
    expect(count).toBeGreaterThan(MAX_STASH_PIECES)
    const lines = await openSharedPiece(
      key,
      place,
      { n: 63, of: 64 },
      await sealSharedPiece(key, place, { n: 63, of: 64 }, packed[63] as Uint8Array, dice),
    )
    expect(lines.at(-1)?.order, 'none is left out in between').toBe(count)
  }, 60_000)

  it('[SHR3] opens in its own place only: channel, account, stash, number', async () => {
    const { packed } = await packShared(each([line(1)]))
    const sealed = await sealSharedPiece(key, place, nth, packed[0] as Uint8Array, dice)
    expect(await openSharedPiece(key, place, nth, sealed)).toHaveLength(1)
    const others = [
      () => openSharedPiece(dice(32), place, nth, sealed),
      () => openSharedPiece(key, { ...place, address: dice(32) as Address }, nth, sealed),
      () => openSharedPiece(key, { ...place, to: dice(32) as AccountId }, nth, sealed),
      () => openSharedPiece(key, { ...place, stash: dice(16) }, nth, sealed),
      () => openSharedPiece(key, place, { n: 1, of: 2 }, sealed),
      () => openSharedPiece(key, place, { n: 0, of: 3 }, sealed),
    ]
    for (const other of others) await expect(other()).rejects.toThrow('aead/open')
  })

  it('[SHR3] its key is for one account, and one share', async () => {
    const [pair, other] = [await dhKeyPairFrom(dice(32)), await dhKeyPairFrom(dice(32))]
    const box = await sealShareKey(pair.publicKey, place, key, dice)
    expect(box).toHaveLength(80)
    expect(await openShareKey(pair, place, box)).toEqual(key)
    await expect(openShareKey(other, place, box)).rejects.toThrow('aead/open')
    for (const wrong of [{ address: dice(32) as Address }, { to: dice(32) as AccountId }, { stash: dice(16) }]) {
      await expect(openShareKey(pair, { ...place, ...wrong }, box)).rejects.toThrow('aead/open')
    }
    const short = await sealShareKey(pair.publicKey, place, dice(16), dice)
    await expect(openShareKey(pair, place, short)).rejects.toThrow('history/key')
  })

  it('[SHR7] [R-06] refuses what is too much, of a later version, or of another shape', async () => {
    const aad = concatBytes(
      labels.sharedHistory,
      place.address,
      place.to,
      place.stash,
      Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 2),
    )
    const openIt = async (content: unknown) =>
      openSharedPiece(
        key,
        place,
        nth,
        await sealRandomNonce(key, pad(await deflate(encodeCbor(content)), 28), aad, dice),
      )
    expect(await openIt({ v: 1, lines: [line(1)] })).toHaveLength(1)
    await expect(openIt({ v: 2, lines: [] })).rejects.toThrow('history/newer')
    await expect(openIt({ v: 1, lines: [{ ...line(1), more: 1 }] })).rejects.toThrow('schema/unknown-field')
    await expect(openIt({ v: 1, lines: Array(MAX_PIECE_LINES + 1).fill(line(1)) })).rejects.toThrow('schema/list')
    await expect(openIt({ v: 1, lines: [line(1, ' '.repeat(2 ** 21))] })).rejects.toThrow('deflate/too-large')
    await expect(openSharedPiece(key, place, nth, new Uint8Array(MAX_STASH_BYTES + 1))).rejects.toThrow('history/piece')
  })
})
