import { describe, expect, it } from 'vitest'
import type { Manifest } from '#core/identity/manifest.ts'
import { changeRoster, checkRoster, type Roster, type RosterChange } from '#core/message/roster.ts'
import type { AccountId, EntryId, SeatId, TokenHash } from '#core/wire/ids.ts'
import type { NewSeat } from '#core/wire/seats.ts'

const bytes = <T extends Uint8Array>(length: number, fill: number) => new Uint8Array(length).fill(fill) as T
const account = (n: number) => bytes<AccountId>(32, n)
const entry = (n: number) => bytes<EntryId>(16, n)
const seat = (n: number) => bytes<SeatId>(16, n)
const newSeat = (id: number, ofEntry: number, moderator = false): NewSeat => ({
  id: seat(id),
  tokenHash: bytes<TokenHash>(32, id),
  moderator,
  drop: new Uint8Array(),
  entry: { id: entry(ofEntry), tokenHash: bytes<TokenHash>(32, ofEntry) },
})
const manifestOf = (n: number, sequence: number, hpkeKey?: Uint8Array): Manifest => ({
  account: account(n),
  sequence,
  devices: [],
  ...(hpkeKey && { vault: { phraseDoor: bytes(1, 1), generation: 1, keyRingHash: bytes(32, 1), hpkeKey } }),
})

/** Account 1 moderates with leaf 0; account 2 has leaves 1 and 2. */
const roster: Roster = {
  seats: [
    { leaf: 0, seat: seat(10), entry: entry(1), moderator: true },
    { leaf: 1, seat: seat(11), entry: entry(2), moderator: false },
    { leaf: 2, seat: seat(12), entry: entry(2), moderator: false },
  ],
  accounts: [
    { account: account(1), entry: entry(1), sequence: 1, since: 0 },
    { account: account(2), entry: entry(2), sequence: 1, since: 1 },
  ],
}
const change = (more: Partial<RosterChange>): RosterChange => ({
  by: account(1),
  added: [],
  removed: [],
  manifests: [],
  seats: { add: [], remove: [] },
  ...more,
})
const isVoid = (more: Partial<RosterChange>) => expect(() => changeRoster(roster, change(more))).toThrow('commit/seats')

describe('seats follow leaves', () => {
  it('[SEAT1] [SEAT4] the seats of a new account come in the order of its leaves, under one new entry', () => {
    const added = [
      { leaf: 3, account: account(3) },
      { leaf: 4, account: account(3) },
    ]
    const seats = { add: [newSeat(13, 3), newSeat(14, 3)], remove: [] }
    const manifests = [manifestOf(3, 7, bytes(32, 9))]
    const after = changeRoster(roster, change({ added, seats, manifests }), 20)
    expect(after.seats.slice(3)).toEqual([
      { leaf: 3, seat: seat(13), entry: entry(3), moderator: false },
      { leaf: 4, seat: seat(14), entry: entry(3), moderator: false },
    ])
    expect(after.accounts[2]).toEqual({
      account: account(3),
      entry: entry(3),
      sequence: 7,
      hpkeKey: bytes(32, 9),
      since: 20,
    })
  })

  it('[SEAT1] [SEAT2] a commit that changes seats otherwise than leaves is void', () => {
    const added = [{ leaf: 3, account: account(3) }]
    isVoid({ added })
    isVoid({ seats: { add: [newSeat(13, 3)], remove: [] } })
    isVoid({ removed: [2] })
    isVoid({ removed: [2], seats: { add: [], remove: [seat(11)] } })
    isVoid({ removed: [2], seats: { add: [], remove: [seat(12), seat(12)] } })
    isVoid({ removed: [2], seats: { add: [], remove: [seat(12), seat(11)] } })
    isVoid({ seats: { add: [], remove: [seat(12)] } })
  })

  it('[SEAT3] a seat that stays is nobody else’s', () => {
    isVoid({ added: [{ leaf: 3, account: account(3) }], seats: { add: [newSeat(10, 3)], remove: [] } })
  })

  it('[SEAT4] nobody gets a seat under an entry of another account', () => {
    isVoid({ added: [{ leaf: 3, account: account(3) }], seats: { add: [newSeat(13, 2)], remove: [] } })
    isVoid({ added: [{ leaf: 3, account: account(2) }], seats: { add: [newSeat(13, 3)], remove: [] } })
    isVoid({ added: [{ leaf: 3, account: account(2) }], seats: { add: [newSeat(13, 1)], remove: [] } })
  })

  it('[SEAT5] who does not moderate seats no moderator', () => {
    const added = [{ leaf: 3, account: account(2) }]
    isVoid({ by: account(2), added, seats: { add: [newSeat(13, 2, true)], remove: [] } })
    const seats = { add: [newSeat(13, 2)], remove: [] }
    expect(changeRoster(roster, change({ by: account(2), added, seats })).seats).toHaveLength(4)
  })

  it('[SEAT7] who rises moderates on all devices, who falls on none, and the commit names exactly those seats', () => {
    const risen = [{ account: account(2), moderator: true }]
    const moderate = [11, 12].map((n) => ({ seat: seat(n), moderator: true }))
    const seats = { add: [], remove: [], moderate }
    const after = changeRoster(roster, change({ moderation: risen, seats }))
    expect(after.seats.map(({ moderator }) => moderator)).toEqual([true, true, true])
    isVoid({ seats })
    isVoid({ moderation: risen })
    isVoid({ moderation: risen, seats: { ...seats, moderate: moderate.slice(1) } })
    isVoid({ moderation: risen, seats: { ...seats, moderate: [...moderate, { seat: seat(10), moderator: false }] } })
    isVoid({ moderation: risen, seats: { ...seats, moderate: moderate.map((one) => ({ ...one, moderator: false })) } })
    const alone = { add: [], remove: [seat(11)], moderate: moderate.slice(1) }
    expect(changeRoster(roster, change({ moderation: risen, removed: [1], seats: alone })).seats).toHaveLength(2)
  })

  it('[SEAT2] [C-07] a device that comes back takes the place of its old leaf, and its account was there all along', () => {
    const seats = { add: [newSeat(13, 2)], remove: [seat(12)] }
    const after = changeRoster(
      roster,
      change({ by: account(2), added: [{ leaf: 2, account: account(2) }], removed: [2], seats }),
      30,
    )
    expect(after.seats[2]).toEqual({ leaf: 2, seat: seat(13), entry: entry(2), moderator: false })
    expect(after.accounts[1]?.since).toBe(1)
  })

  it('[SEAT6] an account without a leaf has no place; a box follows the newest manifest', () => {
    const seats = { add: [], remove: [seat(11), seat(12)] }
    expect(changeRoster(roster, change({ removed: [1, 2], seats })).accounts).toEqual([roster.accounts[0]])
    const withKey = changeRoster(roster, change({ manifests: [manifestOf(2, 3, bytes(32, 7))] }))
    expect(withKey.accounts[1]).toMatchObject({ sequence: 3, hpkeKey: bytes(32, 7) })
    expect(changeRoster(withKey, change({ manifests: [manifestOf(2, 2)] })).accounts).toEqual(withKey.accounts)
    expect(changeRoster(withKey, change({ manifests: [manifestOf(2, 4)] })).accounts[1]).not.toHaveProperty('hpkeKey')
  })
})

describe('a roster that somebody sent', () => {
  const members = [0, 1, 2].map((leaf) => ({ leaf, account: account(leaf === 0 ? 1 : 2) }))
  const isRefused = (given: Roster) => expect(() => checkRoster(given, members)).toThrow('roster/group')

  it('[INT9] is held against the group: one seat a leaf, one entry an account, nobody else', () => {
    expect(() => checkRoster(roster, members)).not.toThrow()
    const [first, second, third] = roster.seats
    const [ann, ben] = roster.accounts
    if (!first || !second || !third || !ann || !ben) throw new Error('unreachable')
    isRefused({ ...roster, seats: [first, second] })
    isRefused({ ...roster, seats: [first, second, { ...third, leaf: 1 }] })
    isRefused({ ...roster, seats: [first, second, { ...third, seat: second.seat }] })
    isRefused({ ...roster, seats: [first, second, { ...third, entry: ann.entry }] })
    isRefused({ ...roster, accounts: [ann] })
    isRefused({ ...roster, accounts: [ann, ben, { ...ben, account: account(3) }] })
    isRefused({ ...roster, accounts: [ann, ben, ben] })
  })
})
