import { equalBytes } from '#core/bytes/equal.ts'
import type { AccountId } from '#core/wire/ids.ts'
import { isOut } from '../channel/is-out.ts'
import type { ChannelRecord } from '../ports/records.ts'

/** By what the last commit has left, without the group itself: enough to know whether to look, and to ask a person. */
export function mayLetIn(channel: ChannelRecord, own: AccountId): boolean {
  const { kind, leaving, request, roles = [] } = channel
  if (kind !== 'group' || isOut(channel) || leaving || request !== undefined) return false
  return roles.some(({ account, role }) => role !== 'member' && equalBytes(account, own))
}
