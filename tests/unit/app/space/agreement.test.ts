import { describe, expect, it } from 'vitest'
import type { ChannelRecord, SyncRecord } from '#app/ports/records.ts'
import { homeOf, homesIn, isWithin, type Place } from '#app/space/agreement.ts'
import { differences } from '#app/space/differences.ts'
import type { Role } from '#core/mls/index.ts'
import type { AccountId, Address } from '#core/wire/ids.ts'

const id = (fill: number) => new Uint8Array(32).fill(fill)
const account = (name: string) => id(name.charCodeAt(0)) as AccountId
const nameOf = (one: AccountId) => String.fromCharCode(one[0] ?? 0)
const [HOME, TOOLS, OTHER] = [id(1), id(2), id(3)] as unknown as [Address, Address, Address]

const record = (more: Partial<ChannelRecord>): ChannelRecord => ({
  title: '',
  kind: 'group',
  state: 'open',
  lastText: '',
  lastAtMs: 0,
  lastState: 'none',
  theirs: 0,
  ...more,
})
const home = (channels: readonly Address[]) => ({
  id: 'home',
  channel: record({ address: HOME, space: { is: 'home', channels } }),
})

/** 'a!' an owner, 'b+' an admin, 'c' a member. */
function place(...people: readonly string[]): Place {
  const roleOf = (sign: string | undefined): Role => (sign === '!' ? 'owner' : sign === '+' ? 'admin' : 'member')
  const named = people.map(([name = '', sign]) => ({ account: account(name), role: roleOf(sign) }))
  const accounts = named.map((one) => ({ account: one.account, entry: id(9), sequence: 1 }))
  return {
    accounts: accounts as unknown as SyncRecord['accounts'],
    roles: named.filter(({ role }) => role !== 'member'),
  }
}

describe('[SPC2] [C-10] a channel is of a space', () => {
  const named = (more: Partial<ChannelRecord>) =>
    record({ address: TOOLS, space: { is: 'channel', home: HOME }, spaceSeen: true, ...more })

  it('where home and channel both say so, and nowhere else', () => {
    const homes = homesIn([home([TOOLS])])
    expect(homeOf(named({}), homes)?.id).toBe('home')
    expect(homeOf(named({ address: OTHER }), homes), 'the home does not list it').toBeUndefined()
    expect(homeOf(named({ space: { is: 'channel', home: OTHER } }), homes), 'it names another').toBeUndefined()
    expect(homeOf(record({ address: TOOLS, spaceSeen: true }), homes), 'it names none').toBeUndefined()
    expect(homeOf(named({}), homesIn([home([])]))).toBeUndefined()
    const { spaceSeen: _, ...unseen } = named({})
    expect(homeOf(unseen, homes), 'its members were not held against the home yet').toBeUndefined()
    expect(homeOf(home([HOME]).channel, homesIn([home([HOME])])), 'a home is no channel of itself').toBeUndefined()
  })
})

describe('[SPC3] the first time', () => {
  it('nobody is in the channel who is not in the home, nor more there than a member who is none here', () => {
    const here = place('a!', 'b+', 'c')
    expect(isWithin(place('a!', 'b+', 'c'), here)).toBe(true)
    expect(isWithin(place('a', 'c'), here)).toBe(true)
    expect(isWithin(place('b!', 'c'), here), 'an admin who has just made it').toBe(true)
    expect(isWithin(place('c!', 'b'), here), 'a member who would be its owner').toBe(false)
    expect(isWithin(place('a!', 'x'), here), 'somebody who is not in the home').toBe(false)
  })
})

describe('[SPC4] what a channel lacks', () => {
  const said = (there: Place, here: Place, own: string, leavers: readonly string[] = []) => {
    const gone = leavers.map(account)
    const found = differences({ ...here, leavers: gone }, { ...there, leavers: gone }, account(own))
    return {
      missing: found.missing.map(nameOf).join(''),
      extra: found.extra.map(nameOf).join(''),
      roles: found.roles.map((one) => `${nameOf(one.account)} ${one.role}`).sort(),
    }
  }
  const NOTHING = { missing: '', extra: '', roles: [] }

  it('is nothing where they are the same, or for who may do nothing about it', () => {
    expect(said(place('a!', 'b+', 'c'), place('a!', 'b+', 'c'), 'a')).toEqual(NOTHING)
    expect(said(place('a!', 'c'), place('a!', 'b+', 'c'), 'c')).toEqual(NOTHING)
    expect(said(place('a!', 'x'), place('b!', 'c'), 'a'), 'who is out of the home').toEqual(NOTHING)
  })

  it('is who is missing, who is there besides, and whose role is another', () => {
    const [there, here] = [place('a!', 'b', 'x', 'y+'), place('a!', 'b+', 'c')]
    expect(said(there, here, 'a')).toEqual({ missing: 'c', extra: 'xy', roles: ['b admin'] })
    expect(said(place('a!', 'b+', 'x', 'y+'), here, 'b'), 'an admin removes members alone').toEqual({
      missing: 'c',
      extra: 'x',
      roles: [],
    })
  })

  it('never leaves a channel without an owner who is there', () => {
    expect(said(place('b!', 'c'), place('a!', 'b+', 'c'), 'b')).toEqual({ missing: 'a', extra: '', roles: [] })
    expect(said(place('a!', 'b!', 'c'), place('a!', 'b+', 'c'), 'b').roles).toEqual(['b admin'])
  })

  it('brings nobody back who has said that they leave', () => {
    expect(said(place('a!', 'b'), place('a!', 'b', 'c'), 'a', ['c'])).toEqual(NOTHING)
    expect(said(place('a!', 'b', 'c'), place('a!', 'b', 'c'), 'a', ['c'])).toEqual({ ...NOTHING, extra: 'c' })
  })
})
