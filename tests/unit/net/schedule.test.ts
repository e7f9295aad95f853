import { describe, expect, it } from 'vitest'
import { backoffMs } from '#net/backoff.ts'
import { coverBytes, coverDelayMs } from '#net/cover.ts'
import { Seeded } from '../../support/seeded.ts'

const lowest = (length: number) => new Uint8Array(length)
const highest = (length: number) => new Uint8Array(length).fill(255)
const { dice } = new Seeded(1)
const many = <T>(draw: () => T): T[] => Array.from({ length: 20_000 }, draw)

describe('waiting for a relay that is away', () => {
  it('doubles to half a minute, with half of it left to chance', () => {
    const waits = [1, 2, 3, 6, 7, 50].map((failures) => [backoffMs(failures, lowest), backoffMs(failures, highest)])
    expect(waits).toEqual([
      [250, 500],
      [500, 1_000],
      [1_000, 2_000],
      [8_000, 16_000],
      [15_000, 30_000],
      [15_000, 30_000],
    ])
  })
})

describe('cover', () => {
  it('[T-03] comes at exponentially distributed times: the past tells nothing of the next one', () => {
    const delays = many(() => coverDelayMs(dice))
    const beyond = (ms: number) => delays.filter((delay) => delay > ms).length / delays.length
    expect(delays.reduce((sum, delay) => sum + delay, 0) / delays.length / 20_000).toBeCloseTo(1, 1)
    for (const ms of [10_000, 20_000, 40_000]) expect(beyond(ms)).toBeCloseTo(Math.exp(-ms / 20_000), 1)
    expect(beyond(30_000) / beyond(20_000)).toBeCloseTo(beyond(20_000) / beyond(10_000), 1)
    expect(coverDelayMs(highest)).toBe(120_000)
  })

  it('[T-03] [T-02] has the sizes of real frames: buckets, mostly short', () => {
    const sizes = many(() => coverBytes(dice))
    const share = (bytes: number) => sizes.filter((size) => size === bytes).length / sizes.length
    expect([256, 512, 1024, 2048].map((bytes) => Math.round(share(bytes) * 100))).toEqual([12, 60, 25, 3])
  })
})
