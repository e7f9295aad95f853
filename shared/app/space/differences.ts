import { equalBytes } from '#core/bytes/equal.ts'
import { toHex } from '#core/bytes/hex.ts'
import type { Role, RoleChange } from '#core/mls/index.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { ChannelRecord } from '../ports/records.ts'
import type { Place } from './agreement.ts'

/** What a channel's members and roles lack to be those of its home, and this account may bring (SPC4). */
export type Differences = {
  readonly missing: readonly AccountId[]
  readonly extra: readonly AccountId[]
  readonly roles: readonly RoleChange[]
}
type Compared = Place & Pick<ChannelRecord, 'leavers'>

const NONE: Differences = { missing: [], extra: [], roles: [] }

export function differences(home: Compared, channel: Compared, own: AccountId): Differences {
  const mine = roleIn(channel, own)
  if (mine === 'member' || !isIn(home, own)) return NONE
  const there = channel.accounts.map(({ account }) => account)
  // Who has said that they leave is on the way out of both: neither brings them back into the other.
  const missing = home.accounts.filter(({ account }) => isIn(home, account) && !has(there, account))
  const extra = there.filter(
    (one) => !isIn(home, one) && mayRemove(mine, roleIn(channel, one)) && !equalBytes(one, own),
  )
  return {
    missing: missing.map(({ account }) => account).filter((one) => !has(channel.leavers ?? [], one)),
    extra,
    roles: mine === 'owner' ? rolesBetween(home, channel) : [],
  }
}

/** As they are in the home, for who is in both. A channel is never left without an owner who is there. */
function rolesBetween(home: Compared, channel: Compared): readonly RoleChange[] {
  const both = channel.accounts.filter(({ account }) => isIn(home, account)).map(({ account }) => account)
  const isOwned = both.some((one) => roleIn(home, one) === 'owner')
  return both.flatMap((account) => {
    const [now, due] = [roleIn(channel, account), roleIn(home, account)]
    return now === due || (now === 'owner' && !isOwned) ? [] : [{ account, role: due }]
  })
}

function mayRemove(mine: Role, theirs: Role): boolean {
  return mine === 'owner' || theirs === 'member'
}

function roleIn({ roles = [] }: Place, account: AccountId): Role {
  return roles.find((one) => equalBytes(one.account, account))?.role ?? 'member'
}

function isIn({ accounts, leavers = [] }: Compared, account: AccountId): boolean {
  return accounts.some((place) => equalBytes(place.account, account)) && !has(leavers, account)
}

function has(accounts: readonly AccountId[], account: AccountId): boolean {
  const name = toHex(account)
  return accounts.some((one) => toHex(one) === name)
}
