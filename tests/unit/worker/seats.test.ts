import { describe, expect, it } from 'vitest'
import type { EntryId, SeatId, TokenHash } from '#core/wire/ids.ts'
import type { NewSeat } from '#core/wire/seats.ts'
import { judgeEnter, judgeSeatChanges, type SeatState, type SeatsThere } from '../../../worker/rules/seats.ts'

const id = (fill: number) => new Uint8Array(16).fill(fill) as SeatId
const entry = (fill: number) => new Uint8Array(16).fill(fill) as EntryId
const hash = new Uint8Array(32) as TokenHash
/** Seats 1 and 5 are of entry 1, the others each of the entry of its own number. */
const entryOf = (fill: number) => entry(fill === 5 ? 1 : fill)
const seat = (fill: number, of = entryOf(fill), moderator = false) => ({
  id: id(fill),
  tokenHash: hash,
  moderator,
  drop: new Uint8Array(),
  entry: { id: of, tokenHash: hash },
})
const seats = new Map<number, SeatState>([
  [1, { id: id(1), entry: entry(1), moderator: true }],
  [2, { id: id(2), entry: entry(2), moderator: false }],
  [3, { id: id(3), entry: entry(3), moderator: false, removedDay: 10 }],
  [5, { id: id(5), entry: entry(1), moderator: false }],
])
const there = (live: number): SeatsThere => ({
  at: (one) => seats.get(one[0] ?? 0),
  all: () => seats.values(),
  live,
})
const judge = (by: number, add: number[], remove: number[], live = 2) =>
  judgeSeatChanges(
    { entry: entryOf(by), moderator: by === 1 },
    { add: add.map((one) => seat(one)), remove: remove.map(id) },
    there(live),
  )
const enter = (of: { id: EntryId; moderator: boolean }, add: NewSeat[], remove: number[], live = 2) =>
  judgeEnter(of, { add, remove: remove.map(id) }, there(live))

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

  it('[CHN8] a seat that does not moderate removes seats of its own entry, and nobody else’s', () => {
    expect(judge(5, [], [1])).toBe('allowed')
    expect(judge(5, [], [1, 5])).toBe('allowed')
    expect(judge(5, [], [2])).toBe('not-moderator')
    expect(judge(5, [], [3]), 'a tombstone of another entry').toBe('not-moderator')
    expect(judge(5, [], [9]), 'long forgotten').toBe('allowed')
    expect(judge(5, [6], [])).toBe('not-moderator')
  })

  it('[CHN15] a seat id stays with its entry', () => {
    const other = { add: [seat(3, entry(1))], remove: [] }
    expect(judgeSeatChanges({ entry: entry(1), moderator: true }, other, there(2))).toBe('seat-taken')
  })

  it('[CHN16] who enters gets one seat of the own entry, and touches no other entry', () => {
    const one = { id: entry(1), moderator: true }
    expect(enter(one, [seat(7, entry(1))], [])).toBe('allowed')
    expect(enter(one, [seat(7, entry(1))], [1, 5, 9])).toBe('allowed')
    expect(enter(one, [], [5])).toBe('one-seat')
    expect(enter(one, [seat(7, entry(1)), seat(8, entry(1))], [])).toBe('one-seat')
    expect(enter(one, [seat(7, entry(2))], [])).toBe('foreign-seat')
    expect(enter(one, [seat(7, entry(1))], [2])).toBe('foreign-seat')
    expect(enter(one, [seat(7, entry(1))], [3]), 'a tombstone of another entry').toBe('foreign-seat')
    expect(enter(one, [seat(5, entry(1))], [])).toBe('seat-taken')
    expect(enter(one, [seat(3, entry(1))], [])).toBe('seat-taken')
    expect(enter(one, [seat(7, entry(1))], [], 1024)).toBe('full')
  })

  it('[CHN16] who enters moderates only where its entry does', () => {
    expect(enter({ id: entry(1), moderator: true }, [seat(7, entry(1), true)], [])).toBe('allowed')
    expect(enter({ id: entry(2), moderator: false }, [seat(7, entry(2), true)], [])).toBe('not-moderator')
  })
  const moderate = (by: number, changes: [number, boolean][], more: { add?: NewSeat[]; remove?: number[] } = {}) =>
    judgeSeatChanges(
      { entry: entryOf(by), moderator: by === 1 },
      {
        add: more.add ?? [],
        remove: (more.remove ?? []).map(id),
        moderate: changes.map(([one, moderator]) => ({ seat: id(one), moderator })),
      },
      there(3),
    )

  it('[CHN20] only a moderating seat says which seats moderate', () => {
    expect(moderate(1, [[2, true]])).toBe('allowed')
    expect(moderate(2, [[2, true]])).toBe('not-moderator')
    expect(moderate(5, [[5, true]]), 'a seat of the same entry neither').toBe('not-moderator')
    expect(moderate(2, [])).toBe('allowed')
    const entering = { add: [seat(7, entry(1))], remove: [], moderate: [{ seat: id(2), moderator: true }] }
    expect(judgeEnter({ id: entry(1), moderator: true }, entering, there(3))).toBe('not-moderator')
  })

  it('[CHN20] each seat is named once; who is gone may be named', () => {
    expect(
      moderate(1, [
        [2, true],
        [2, false],
      ]),
    ).toBe('seat-twice')
    expect(moderate(1, [[2, true]], { remove: [2] })).toBe('seat-twice')
    expect(moderate(1, [[7, false]], { add: [seat(7)] })).toBe('seat-twice')
    expect(
      moderate(1, [
        [3, true],
        [9, true],
      ]),
    ).toBe('allowed')
  })

  it('[CHN20] somebody alive moderates when moderation is taken from another one', () => {
    expect(moderate(1, [[1, false]])).toBe('last-moderator')
    expect(
      moderate(1, [
        [1, false],
        [3, true],
      ]),
      'a tombstone is nobody',
    ).toBe('last-moderator')
    expect(
      moderate(1, [
        [1, false],
        [2, true],
      ]),
    ).toBe('allowed')
    expect(moderate(1, [[1, false]], { add: [seat(7, entry(7), true)] })).toBe('allowed')
    expect(moderate(1, [[2, false]], { remove: [1] }), 'the last one goes in the same commit').toBe('last-moderator')
  })
})
