import { describe, expect, it } from 'vitest'
import type { Head } from '#core/wire/ids.ts'
import { compareKnown, isStale, winsCommit } from '../../../worker/rules/ordering.ts'

const head = (fill: number) => new Uint8Array(32).fill(fill) as Head
const last = { position: 7, head: head(7) }
const standing = { last, commits: 6, lastCommit: 5 }

describe('ordering', () => {
  it('[CHN4] compares what a client knows with the log', () => {
    expect(compareKnown(last, last, head(7))).toBe('same')
    expect(compareKnown(last, { position: 7, head: head(8) }, head(7))).toBe('forked')
    expect(compareKnown(last, { position: 3, head: head(3) }, head(3))).toBe('same')
    expect(compareKnown(last, { position: 3, head: head(3) }, head(4))).toBe('forked')
    expect(compareKnown(last, { position: 8, head: head(8) }, undefined)).toBe('behind')
  })

  it('[CHN4] lets pass what it can no longer compare', () => {
    expect(compareKnown(last, { position: 1, head: head(9) }, undefined)).toBe('same')
  })

  it('[CHN6] takes posts that are four commits behind, and no older ones', () => {
    expect(isStale(standing, 6)).toBe(false)
    expect(isStale(standing, 2)).toBe(false)
    expect(isStale(standing, 1)).toBe(true)
  })

  it('[CHN7] [C-03] only what follows the last commit wins', () => {
    expect(winsCommit(standing, 5)).toBe(true)
    expect(winsCommit(standing, 4)).toBe(false)
    expect(winsCommit(standing, 7)).toBe(false)
  })
})
