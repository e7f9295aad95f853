import { equalBytes } from '#core/bytes/equal.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { Place } from '#core/wire/operations.ts'
import type { Agreed, ChannelRecord } from '../ports/records.ts'
import type { Loaded } from './loaded.ts'

/**
 * C-06: a member that saw another history at a place that this device has seen too means a fork: stop and say so. One that
 * saw the same tells how far back a repair has to go, should it come to that (FRK3).
 */
export function compareSeen(
  loaded: Loaded,
  { account }: { readonly account: AccountId },
  seen: Place | undefined,
  nowMs: number,
): Loaded {
  const own = loaded.sync.heads.find((known) => known.position === seen?.position)
  if (seen === undefined || own === undefined) return loaded
  if (!equalBytes(own.head, seen.head)) return { ...loaded, channel: forked(loaded.channel, nowMs) }
  const agreed = withPlace(loaded.sync.agreed ?? [], { account, position: seen.position })
  return { ...loaded, sync: { ...loaded.sync, agreed } }
}

/** Two stories: nothing more is applied or sent until the person looks. */
export function forked(channel: ChannelRecord, nowMs: number): ChannelRecord {
  return { ...channel, state: 'paused', pausedBy: 'forked', pausedAtMs: nowMs }
}

function withPlace(agreed: readonly Agreed[], { account, position }: Agreed): readonly Agreed[] {
  const known = agreed.find((one) => equalBytes(one.account, account))
  if (known !== undefined && known.position >= position) return agreed
  return [...agreed.filter((one) => one !== known), { account, position }]
}
