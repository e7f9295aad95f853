import { equalBytes } from '#core/bytes/equal.ts'
import { toHex } from '#core/bytes/hex.ts'
import { type Group, kindOf, profileOf, rolesOf, spaceOf } from '#core/mls/index.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { ChannelRecord } from '../ports/records.ts'

/** What faces show of a channel is what the group's own state says, from the commit on that says it (C-04, C-13). */
export function followGroup(channel: ChannelRecord, group: Group): ChannelRecord {
  const { title, ...profile } = profileOf(group)
  const isNamed = kindOf(group) === 'group' && title !== ''
  const space = spaceOf(group)
  const { space: _, ...others } = channel
  return { ...others, ...(space && { space }), ...(isNamed ? { title } : {}), profile, roles: rolesOf(group), suite: group.suite }
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
