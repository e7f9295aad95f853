import { equalBytes } from '#core/bytes/equal.ts'
import type { AccountId } from '#core/wire/ids.ts'
import { roleIn } from '../channel/follow-group.ts'
import type { Loaded } from '../channel/loaded.ts'
import { spread } from '../channel/spread.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import type { AccountRecord, ChannelRecord } from '../ports/records.ts'
import { noteLeaver } from './note-change.ts'

/** Others who may do the same wait for a moment, so that not all of them stage a commit. */
const WITHIN_MS = 10_000

/** Somebody says that they leave: their devices go with the next commit of one who may remove them (LEV2). */
export function noteLeft(
  deps: Deps,
  draft: Draft,
  loaded: Loaded,
  own: AccountRecord,
  { position, leaver }: { readonly position: number; readonly leaver: AccountId },
): Loaded {
  const { sync, group } = loaded
  const mine = equalBytes(own.account, leaver)
  const channel = noteLeaver(deps, draft, loaded, { position, by: leaver, mine })
  if (mine) return { ...loaded, channel: { ...channel, leaving: true } }
  const isEnded = channel.kind === 'direct'
  const after = isEnded ? { ...channel, left: 'ended' as const } : channel
  const role = roleIn(group, own.account)
  const mayRemove = role === 'owner' || (role === 'admin' && roleIn(group, leaver) === 'member')
  if (!mayRemove) return { ...loaded, channel: after }
  const notBeforeMs = deps.clock.now() + spread(deps, WITHIN_MS)
  const wanted = [...sync.wanted, { want: 'exclude', account: leaver, notBeforeMs } as const]
  return { ...loaded, channel: after, sync: { ...sync, wanted } }
}

const MAX_NAMES = 1024

export function withName(channel: ChannelRecord, account: AccountId, name: string): ChannelRecord {
  if (name === '') return channel
  const others = (channel.names ?? []).filter((one) => !equalBytes(one.account, account))
  return { ...channel, names: [...others, { account, name }].slice(-MAX_NAMES) }
}
