import { describe, expect, it } from 'vitest'
import { firstLogHead, nextLogHead } from '#core/channel/log-chain.ts'
import { rotateKeyRing } from '#core/keys/key-ring.ts'
import { endsOf, followLog, leftOf } from '#core/log/follow.ts'
import type { Address, Head } from '#core/wire/ids.ts'
import type { LogRow, Place } from '#core/wire/operations.ts'
import { address, bytes, countingDice, ring } from './support.ts'

const start: Place = { position: 0, head: firstLogHead(address) }
const rows: LogRow[] = []
const places: Place[] = [start]
for (let position = 1; position <= 8; position++) {
  const before = places.at(-1)?.head ?? start.head
  const row = { position, before, bytes: bytes(position) }
  rows.push(row)
  places.push({ position, head: nextLogHead(before, position, row.bytes) })
}
const at = (position: number) => places[position] ?? start

describe("a log's chain", () => {
  it('[LGE3] is followed from any place that is known', () => {
    expect(followLog(start, rows, [])).toEqual({ place: at(8), gaps: [] })
    expect(followLog(at(5), rows.slice(5), [])).toEqual({ place: at(8), gaps: [] })
    expect(followLog(at(8), [], [])).toEqual({ place: at(8), gaps: [] })
  })

  it('[LGE3] another story is refused: changed bytes, another order, a row again, a row left out and renumbered', () => {
    const follow = (told: readonly LogRow[]) => () => followLog(start, told, [])
    const changed = rows.map((row) => (row.position === 3 ? { ...row, bytes: bytes(77) } : row))
    expect(follow(changed)).toThrow('log/chain')
    expect(follow(rows.toReversed())).toThrow('log/chain')
    expect(follow([...rows.slice(0, 2), ...rows.slice(1)])).toThrow('log/chain')
    const renumbered = rows.filter((row) => row.position !== 3).map((row, i) => ({ ...row, position: i + 1 }))
    expect(follow(renumbered)).toThrow('log/chain')
    expect(() => followLog({ position: 0, head: firstLogHead(bytes(9) as Address) }, rows, [])).toThrow('log/chain')
  })

  it('[LGE4] rows that are gone are named, and only a page of the same chain stands for them', () => {
    const { place, gaps } = followLog(start, [...rows.slice(0, 1), ...rows.slice(4)], [])
    expect(place).toEqual(at(8))
    const gap = { from: 2, to: 4, before: at(1).head, after: at(4).head }
    expect(gaps).toEqual([gap])
    expect(leftOf(gap, gap)).toEqual([])
    expect(leftOf(gap, { ...gap, from: 1, before: start.head })).toEqual([])
    for (const other of [
      { ...gap, before: bytes(9) as Head },
      { ...gap, after: bytes(9) as Head },
      { ...gap, from: 5, to: 6 },
      { ...gap, from: 1, to: 1 },
    ])
      expect(leftOf(gap, other)).toEqual([gap])
  })

  it('[LGE4] pages that meet on the chain stand for a gap together', () => {
    const gap = { from: 2, to: 6, before: at(1).head, after: at(6).head }
    const middle = { from: 3, to: 4, before: at(2).head, after: at(4).head }
    const first = { from: 1, to: 2, before: start.head, after: at(2).head }
    const last = { from: 5, to: 6, before: at(4).head, after: at(6).head }
    const left = (pages: readonly (typeof gap)[]) =>
      pages.reduce((gaps, page) => gaps.flatMap((one) => leftOf(one, page)), [gap])
    expect(left([middle])).toEqual([
      { from: 2, to: 2, before: at(1).head, after: at(2).head },
      { from: 5, to: 6, before: at(4).head, after: at(6).head },
    ])
    expect(left([middle, first, last])).toEqual([])
    expect(left([last, { ...first, to: 4, after: at(4).head }])).toEqual([])
    expect(left([middle, first, { ...last, before: bytes(9) as Head }])).toHaveLength(1)
  })

  it('[KRG3] leads through the places where generations were closed', () => {
    const rotated = rotateKeyRing(ring, { address, ...at(4) }, countingDice())
    const ends = endsOf(rotated, address)
    expect(ends).toEqual([at(4)])
    expect(endsOf(rotated, bytes(9) as Address)).toEqual([])
    expect(followLog(start, rows, ends).place).toEqual(at(8))
    expect(followLog(start, rows.slice(0, 4), ends).place).toEqual(at(4))
    const other = [{ position: 4, head: bytes(9) as Head }]
    expect(() => followLog(start, rows, other)).toThrow('log/chain')
    expect(() => followLog(start, rows.slice(0, 4), other)).toThrow('log/chain')
    expect(() => followLog(at(1), rows.slice(4), other), 'where a gap ends').toThrow('log/chain')
  })
})
