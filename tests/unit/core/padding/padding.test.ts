import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WireError } from '#core/errors.ts'
import { BUCKETS, bucketFor, isBucket } from '#core/padding/buckets.ts'
import { pad, unpad } from '#core/padding/padding.ts'

const SEED = { seed: 42, numRuns: 300 }

describe('padding', () => {
  it('[T-02] eight buckets, 256 B to 32 KiB', () => {
    expect(BUCKETS).toEqual([256, 512, 1024, 2048, 4096, 8192, 16384, 32768])
    expect([0, 1, 256, 257, 32767, 32768].map(bucketFor)).toEqual([256, 256, 256, 512, 32768, 32768])
  })

  it("[T-02] Padmé above: the paper's rule, at most 6.25 % more", () => {
    // L = 32769: E = 15, S = 4, so the last 11 bits are zero.
    expect(bucketFor(32_769)).toBe(32_768 + 2048)
    expect(bucketFor(1_000_000)).toBe(1_015_808)
    fc.assert(
      fc.property(fc.integer({ min: 32_769, max: 2 ** 31 + 5 }), (length) => {
        const size = bucketFor(length)
        expect(size).toBeGreaterThanOrEqual(length)
        expect(size / length).toBeLessThan(1.0625)
        expect(bucketFor(size)).toBe(size)
        expect(bucketFor(length - 1)).toBeLessThanOrEqual(size)
      }),
      SEED,
    )
  })

  it('[T-02] few sizes exist: a size says little about what it holds', () => {
    const sizes = new Set<number>()
    for (let size = bucketFor(32_769); size <= 2 ** 20; size = bucketFor(size + 1)) sizes.add(size)
    expect(sizes.size).toBe(16 + 4 * 32) // a 16th of the octave at 32 KiB, a 32nd from 64 KiB on
  })

  it('[PAD1] with its overhead it fills a bucket, and comes back', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 70_000, size: 'max' }),
        fc.integer({ min: 0, max: 100 }),
        (content, overhead) => {
          const padded = pad(content, overhead)
          expect(isBucket(padded.length + overhead)).toBe(true)
          expect(Buffer.compare(unpad(padded), content)).toBe(0)
        },
      ),
      { ...SEED, numRuns: 60 },
    )
  })

  it('[PAD2] a length past the end is refused', () => {
    expect(() => unpad(Uint8Array.of(0, 0, 0))).toThrow(WireError)
    expect(() => unpad(Uint8Array.of(0, 0, 0, 1))).toThrow('padding/length')
    expect(() => unpad(Uint8Array.of(255, 255, 255, 255, 1))).toThrow('padding/length')
  })

  it('[PAD3] fill that is not zero is refused, wherever it is', () => {
    const padded = pad(Uint8Array.of(1, 2, 3), 0)
    for (let at = 7; at < padded.length; at++) expect(() => unpad(padded.with(at, 1))).toThrow('padding/fill')
  })
})
