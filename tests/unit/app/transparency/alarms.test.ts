import { describe, expect, it } from 'vitest'
import type { TransparencyRecord } from '#app/ports/records.ts'
import { withAlarms, wrong } from '#app/transparency/alarms.ts'
import type { AccountId } from '#core/wire/ids.ts'

const nothing: TransparencyRecord = { kind: 'transparency', ownUpTo: 0, own: [], waiting: [], alarms: [] }
const bea = new Uint8Array(32).fill(1) as AccountId
const cas = new Uint8Array(32).fill(2) as AccountId
const kinds = ({ alarms }: TransparencyRecord) => alarms.map(({ kind, atMs }) => `${kind} ${atMs}`)
const looked = (record: TransparencyRecord): TransparencyRecord => ({
  ...record,
  alarms: record.alarms.map((alarm) => ({ ...alarm, looked: true })),
})

describe('alarms', () => {
  it('[TRC8] stand once for each kind and person until they are looked at', () => {
    const once = withAlarms(nothing, [wrong('withheld', bea, 2), wrong('withheld', bea, 3)], 1)
    expect(kinds(once)).toEqual(['withheld 1'])
    expect(withAlarms(once, [wrong('withheld', bea, 4)], 2)).toBe(once)
    expect(kinds(withAlarms(once, [wrong('withheld', cas, 2), wrong('rollback', undefined, 2)], 2))).toEqual([
      'withheld 1',
      'withheld 2',
      'rollback 2',
    ])
  })

  it('[TRC8] come again after that for what is new, and not for the same', () => {
    const seen = looked(withAlarms(nothing, [wrong('withheld', bea, 2)], 1))
    expect(withAlarms(seen, [wrong('withheld', bea, 2)], 2)).toBe(seen)
    expect(kinds(withAlarms(seen, [wrong('withheld', bea, 3)], 2))).toEqual(['withheld 1', 'withheld 2'])
  })

  it('[TRC8] of two logs come once for each person: each message shows another head of the other one', () => {
    const seen = looked(withAlarms(nothing, [wrong('split-view', bea, 1)], 1))
    expect(withAlarms(seen, [wrong('split-view', bea, 2)], 2)).toBe(seen)
  })

  it('[TRC8] are bounded, and those that were not looked at stay', () => {
    let record = withAlarms(nothing, [wrong('key-swap', bea, 0)], 0)
    for (let n = 1; n < 200; n++) {
      const about = new Uint8Array(32).fill(n) as AccountId
      const before = record.alarms.length
      record = withAlarms(record, [wrong('withheld', about, n)], n)
      const { alarms } = record
      record = { ...record, alarms: alarms.map((one) => (one.kind === 'withheld' ? { ...one, looked: true } : one)) }
      expect(record.alarms.length).toBeGreaterThanOrEqual(Math.min(before, 64))
    }
    expect(record.alarms).toHaveLength(64)
    expect(record.alarms[0]).toMatchObject({ kind: 'key-swap' })
  })
})
