import type { Role, RoleChange } from '#core/mls/index.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { ChannelRecord } from '../ports/records.ts'
import { nameOf, type Place, rolesIn } from './agreement.ts'

/** What a channel's members and roles lack to be those of its home, and this account may bring (SPC4). */
export type Differences = {
  readonly missing: readonly AccountId[]
  readonly extra: readonly AccountId[]
  readonly roles: readonly RoleChange[]
}
export type Compared = Place & Pick<ChannelRecord, 'leavers'>

const NONE: Differences = { missing: [], extra: [], roles: [] }

export function differences(home: Compared, channel: Compared, own: AccountId): Differences {
  const [here, there] = [staying(home), rolesIn(channel)]
  const mine = there.get(nameOf(own))
  if (mine === undefined || mine === 'member' || !here.has(nameOf(own))) return NONE
  // Who has said that they leave is on the way out of both: neither brings them back into the other.
  const leavers = new Set((channel.leavers ?? []).map(nameOf))
  const missing = home.accounts.flatMap(({ account }) => {
    const name = nameOf(account)
    return here.has(name) && !there.has(name) && !leavers.has(name) ? [account] : []
  })
  const extra = channel.accounts.flatMap(({ account }) => {
    const name = nameOf(account)
    const mayRemove = mine === 'owner' || there.get(name) === 'member'
    return !here.has(name) && mayRemove ? [account] : []
  })
  return { missing, extra, roles: mine === 'owner' ? rolesBetween(here, there, channel) : [] }
}

type Roles = ReadonlyMap<string, Role>

/** As they are in the home, for who is in both. A channel is never left without an owner who is there. */
function rolesBetween(here: Roles, there: Roles, { accounts }: Place): readonly RoleChange[] {
  const isOwned = [...there.keys()].some((name) => here.get(name) === 'owner')
  return accounts.flatMap(({ account }) => {
    const [now, due] = [there.get(nameOf(account)), here.get(nameOf(account))]
    return due === undefined || now === due || (now === 'owner' && !isOwned) ? [] : [{ account, role: due }]
  })
}

/** Who is in it and has not said that they leave. */
export function staying(place: Compared): Roles {
  const roles = new Map(rolesIn(place))
  for (const account of place.leavers ?? []) roles.delete(nameOf(account))
  return roles
}
