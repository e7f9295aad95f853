import { equalBytes } from '#core/bytes/equal.ts'
import { accountOf } from '../account/settle-manifest.ts'
import { roleIn } from '../channel/follow-group.ts'
import { isOut } from '../channel/is-out.ts'
import { type Loaded, loadChannel } from '../channel/loaded.ts'
import { isBlocked } from '../contact/block.ts'
import { findContact } from '../contact/find-contact.ts'
import type { Deps } from '../deps.ts'
import type { JoinProblem, JoinRecord } from '../ports/join-records.ts'
import { wasPutOut } from './put-out.ts'

/** Whether somebody may be added now: what was so when they were invited may have changed since. */
export type Verdict =
  | { readonly may: 'yes'; readonly loaded: Loaded }
  | { readonly may: 'later' } // this device is not in itself just now
  | { readonly may: 'in' }
  | { readonly may: 'ask' } // a person is to say so first
  | { readonly may: 'no'; readonly why: JoinProblem }

export async function mayComeIn(
  deps: Deps,
  { channelId, person, approved }: Pick<JoinRecord, 'channelId' | 'person' | 'approved'>,
): Promise<Verdict> {
  const channel = await deps.store.get('channels', channelId)
  if (channel === undefined || isOut(channel) || channel.leaving || channel.request !== undefined)
    return { may: 'no', why: 'join/gone' }
  if (isBlocked((await findContact(deps.store, person.account))?.record)) return { may: 'no', why: 'join/blocked' }
  const loaded = await loadChannel(deps, channelId)
  if (loaded === undefined) return { may: 'later' }
  if (loaded.sync.accounts.some(({ account }) => equalBytes(account, person.account))) return { may: 'in' }
  const { account } = await accountOf(deps)
  if (channel.kind !== 'group' || roleIn(loaded.group, account) === 'member') return { may: 'no', why: 'join/role' }
  if (!approved && wasPutOut(channel, person.account)) return { may: 'ask' }
  return { may: 'yes', loaded }
}
