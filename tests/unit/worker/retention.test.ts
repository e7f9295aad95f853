import { describe, expect, it } from 'vitest'
import type { Ordered } from '#core/wire/operations.ts'
import { isAllowedLifetime, judgeClaim, roundedExpiry } from '../../../worker/rules/invitations.ts'
import { judgeManifest } from '../../../worker/rules/manifest.ts'
import { ackedByAll, envelopeDeadline, memoryDeadline } from '../../../worker/rules/retention.ts'
import { batches, carriedIn, isAwake, needsLabel, pauseMs } from '../../../worker/rules/wakes.ts'

const HOUR_MS = 3_600_000

describe('retention', () => {
  it('[T-05] what every living seat has may go; a tombstone holds nothing back', () => {
    expect(ackedByAll([{ cursor: 5 }, { cursor: 3 }, { cursor: 0, removedDay: 1 }], 9)).toBe(3)
    expect(ackedByAll([], 9)).toBe(9)
  })

  it('[T-05] no time is cut short by the rounding to days', () => {
    expect(envelopeDeadline(100)).toBe(69)
    expect(memoryDeadline(100)).toBe(85)
  })
})

describe('wakes', () => {
  const item = (bytes: number) => ({ envelope: new Uint8Array(bytes) }) as Ordered

  it('carries all of a small batch, or nothing of a large one', () => {
    const small = [item(4096), item(4096)]
    expect(carriedIn(small)).toEqual(small)
    expect(carriedIn([...small, item(1)])).toEqual([])
  })

  it('[DRP4] neither the removed nor those with a label are told', () => {
    expect(isAwake({ cursor: 0, quiet: false })).toBe(true)
    expect(isAwake({ cursor: 0, quiet: true })).toBe(false)
    expect(isAwake({ cursor: 0, quiet: false, removedDay: 3 })).toBe(false)
  })

  it('[DRP5] a label is for who did not take what was there a period ago', () => {
    expect(needsLabel({ cursor: 4, quiet: false }, 5)).toBe(true)
    expect(needsLabel({ cursor: 5, quiet: false }, 5)).toBe(false)
    expect(needsLabel({ cursor: 4, quiet: true }, 5)).toBe(false)
  })

  it('[DRP5] pauses double, up to an hour', () => {
    expect([1, 2, 3, 9, 10, 2_000].map(pauseMs)).toEqual([10_000, 20_000, 40_000, 2_560_000, HOUR_MS, HOUR_MS])
  })

  it('goes out in batches', () => {
    expect([...batches([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]])
  })
})

describe('invitations', () => {
  const key = (fill: number) => new Uint8Array(32).fill(fill)
  const open = { blob: key(0), expiresAtMs: 1000, tokenHash: key(1), claimKey: undefined, revoked: false }

  it('[C-12] one claim key, told apart from every other end', () => {
    expect(judgeClaim(undefined, key(5), 0)).toBe('unknown')
    expect(judgeClaim(open, key(5), 999)).toBe('first')
    expect(judgeClaim(open, key(5), 1000)).toBe('expired')
    const claimed = { ...open, claimKey: key(5) }
    expect(judgeClaim(claimed, key(5), 999)).toBe('again')
    expect(judgeClaim(claimed, key(6), 999)).toBe('used')
    expect(judgeClaim(claimed, key(6), 5000)).toBe('used')
    expect(judgeClaim({ ...open, revoked: true, blob: undefined }, key(5), 0)).toBe('revoked')
  })

  it('[T-06] expiries are stored to the hour, never earlier than asked', () => {
    expect(roundedExpiry(HOUR_MS + 1)).toBe(2 * HOUR_MS)
    expect(roundedExpiry(2 * HOUR_MS)).toBe(2 * HOUR_MS)
    expect(isAllowedLifetime(100, 100)).toBe(false)
    expect(isAllowedLifetime(15 * 24 * HOUR_MS, 0)).toBe(false)
    expect(isAllowedLifetime(14 * 24 * HOUR_MS, 0)).toBe(true)
  })
})

describe('manifests', () => {
  it('[K-05] a higher number replaces; one number has one manifest', () => {
    const there = { sequence: 4, manifest: Uint8Array.of(4) }
    expect(judgeManifest(undefined, there)).toBe('newer')
    expect(judgeManifest(there, { sequence: 5, manifest: Uint8Array.of(5) })).toBe('newer')
    expect(judgeManifest(there, { sequence: 4, manifest: Uint8Array.of(4) })).toBe('same')
    expect(judgeManifest(there, { sequence: 4, manifest: Uint8Array.of(5) })).toBe('other')
    expect(judgeManifest(there, { sequence: 3, manifest: Uint8Array.of(3) })).toBe('older')
  })
})
