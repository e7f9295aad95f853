import { describe, expect, it } from 'vitest'
import type { SeatId, TokenHash } from '#core/wire/ids.ts'
import { judgeSeatChanges, type SeatState } from '../../../worker/rules/seats.ts'

const id = (fill: number) => new Uint8Array(16).fill(fill) as SeatId
const seat = (fill: number) => ({
  id: id(fill),
  tokenHash: new Uint8Array(32) as TokenHash,
  moderator: false,
  drop: new Uint8Array(),
})
const seats = new Map<number, SeatState>([
  [1, { moderator: true }],
  [2, { moderator: false }],
  [3, { moderator: false, removedDay: 10 }],
])
const judge = (by: number, add: number[], remove: number[], live = 2) =>
  judgeSeatChanges(
    { id: id(by), moderator: by === 1 },
    { add: add.map(seat), remove: remove.map(id) },
    (one) => seats.get(one[0] ?? 0),
    live,
  )

describe('seats', () => {
  it('[CHN8] only a moderator changes other seats; anybody may leave', () => {
    expect(judge(1, [4], [2])).toBe('allowed')
    expect(judge(2, [4], [])).toBe('not-moderator')
    expect(judge(2, [], [1])).toBe('not-moderator')
    expect(judge(2, [], [2])).toBe('allowed')
    expect(judge(2, [], [])).toBe('allowed')
  })

  it('[CHN8] no living seat is given twice, nor one twice in a commit; replacing one is both in one', () => {
    expect(judge(1, [2], [])).toBe('seat-taken')
    expect(judge(1, [4, 4], [])).toBe('seat-taken')
    expect(judge(1, [2], [2])).toBe('allowed')
  })

  it('[CHN9] a tombstone may live again; removing who is gone changes nothing', () => {
    expect(judge(1, [3], [])).toBe('allowed')
    expect(judge(1, [], [3, 9])).toBe('allowed')
  })

  it('[R-02] holds at most a thousand and twenty-four', () => {
    expect(judge(1, [4], [], 1023)).toBe('allowed')
    expect(judge(1, [4], [], 1024)).toBe('full')
    expect(judge(1, [4], [2], 1024)).toBe('allowed')
  })
})
