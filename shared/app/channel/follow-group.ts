import { equalBytes } from '#core/bytes/equal.ts'
import { toHex } from '#core/bytes/hex.ts'
import { type Group, kindOf, profileOf, rolesOf, spaceOf } from '#core/mls/index.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { NamedRecord } from '../ports/join-records.ts'
import type { ChannelRecord } from '../ports/records.ts'

/** What faces show of a channel is what the group's own state says, from the commit on that says it (C-04, C-13). */
export function followGroup(channel: ChannelRecord, group: Group): ChannelRecord {
  const { title, ...look } = profileOf(group)
  // What did not change stays the very same value: it is not written anew.
  const profile = isSameLook(channel.profile, look) ? channel.profile : look
  const roles = isSameRoles(channel.roles, rolesOf(group)) ? channel.roles : rolesOf(group)
  const isNamed = kindOf(group) === 'group' && title !== ''
  const space = spaceOf(group)
  const { space: _, ...others } = channel
  return {
    ...others,
    ...(space && { space }),
    ...(isNamed ? { title } : {}),
    profile,
    roles,
    suite: group.suite,
    ...(channel.named && { named: whileKeeping(channel.named, rolesOf(group)) }),
  }
}

/** Who is no keeper any more is given the keys anew with the role: what they were told may be no keys (NAM6). */
function whileKeeping(named: NamedRecord, roles: Roles): NamedRecord {
  const { given = [] } = named
  const keeping = given.filter((one) => roles.some(({ account }) => equalBytes(account, one)))
  return keeping.length === given.length ? named : { ...named, given: keeping }
}

type Look = NonNullable<ChannelRecord['profile']>
type Roles = NonNullable<ChannelRecord['roles']>

function isSameLook(a: Look | undefined, b: Look): boolean {
  return a?.topic === b.topic && a.timerMs === b.timerMs && equalBytes(a.avatar, b.avatar)
}

function isSameRoles(a: Roles | undefined, b: Roles): boolean {
  if (a?.length !== b.length) return false
  return a.every(({ account, role }, i) => {
    const other = b[i]
    return other !== undefined && role === other.role && equalBytes(account, other.account)
  })
}

type Moderation = { readonly account: AccountId; readonly moderator: boolean }

/** Accounts that moderate from the second state on and did not before, or the other way round (SEAT7). */
export function moderationOf(before: Group, after: Group): readonly Moderation[] {
  const [old, now] = [rolesOf(before), rolesOf(after)]
  const was = new Map(old.map(({ account }) => [toHex(account), account]))
  const is = new Map(now.map(({ account }) => [toHex(account), account]))
  const risen = [...is].flatMap(([name, account]) => (was.has(name) ? [] : [{ account, moderator: true }]))
  const fallen = [...was].flatMap(([name, account]) => (is.has(name) ? [] : [{ account, moderator: false }]))
  return [...risen, ...fallen]
}

export function roleIn(group: Group, account: AccountId): 'owner' | 'admin' | 'member' {
  return rolesOf(group).find((one) => equalBytes(one.account, account))?.role ?? 'member'
}
