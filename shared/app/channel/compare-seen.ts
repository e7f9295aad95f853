import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { Place } from '#core/wire/operations.ts'
import type { Draft } from '../draft.ts'
import type { Agreed, ChannelRecord } from '../ports/records.ts'
import { headAt } from './heads.ts'
import type { Loaded } from './loaded.ts'

export type Compared = { readonly loaded: Loaded; readonly agreed?: Agreed }

/**
 * C-06: a member that saw another history at a place that this device has seen too means a fork: stop and say so. One that
 * saw the same tells how far back a repair has to go, should it come to that (FRK3).
 */
export async function compareSeen(
  draft: Draft,
  loaded: Loaded,
  { account }: { readonly account: AccountId },
  seen: Place | undefined,
  nowMs: number,
): Promise<Compared> {
  const own = seen && (await headAt(draft, loaded.id, seen.position))
  if (seen === undefined || own === undefined) return { loaded }
  if (!equalBytes(own, seen.head)) {
    const isNews = loaded.sync.cursor > (loaded.sync.goneOnUpTo ?? 0)
    return { loaded: isNews ? { ...loaded, channel: forked(loaded.channel, nowMs) } : loaded }
  }
  return { loaded, agreed: { account, position: seen.position } }
}

/** A row for each account: with each message one of them changes. */
export async function noteAgreed(draft: Draft, id: string, { account, position }: Agreed): Promise<void> {
  const key = [id, toBase64url(account)] as const
  const known = await draft.get('agreed', key)
  if (known === undefined || known.position < position) draft.put('agreed', key, { position })
}

/** Two stories: nothing more is applied or sent until the person looks. */
export function forked(channel: ChannelRecord, nowMs: number): ChannelRecord {
  return { ...channel, state: 'paused', pausedBy: 'forked', pausedAtMs: nowMs }
}
