import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { MAX_SHARED_LINES } from '#core/log/shared-history.ts'
import type { HistoryBody } from '#core/message/body.ts'
import { placeOf } from '#core/message/roster.ts'
import { ownMember } from '#core/mls/index.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { Loaded } from '../channel/loaded.ts'
import { blockedWhile } from '../contact/block.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import { noteGroupLine } from '../group/note-change.ts'
import type { AccountRecord } from '../ports/records.ts'
import type { SharedInPost } from '../ports/share-records.ts'
import { findShare, incomingKey, newShareKey } from './share-keys.ts'

const DAY_MS = 86_400_000
/** SHR6: more of one account on one day, by this device's clock, are passed over. */
export const MAX_SHARES_A_DAY = 4
/** Of more than this the person is asked first: it takes room. */
const MAX_UNASKED_LINES = 5_000
const MAX_UNASKED_PIECES = 8

/** This device's own share is ordered: a line says so here too. */
export async function noteShared(
  draft: Draft,
  loaded: Pick<Loaded, 'id' | 'channel' | 'group'>,
  { to, count, messageId, atMs }: SharedInPost,
  position: number,
): Promise<void> {
  if ((await draft.get('lines', [loaded.id, position])) !== undefined) return
  const { account: by } = ownMember(loaded.group)
  const said = { notice: 'shared', accounts: [to], value: String(count) } as const
  noteGroupLine(draft, loaded, { ...said, position, by, mine: true, messageId, atMs })
}

type Said = { readonly account: AccountId; readonly position: number }

/** Everybody in the channel sees that it was shared, and with whom; whose it is, takes it (SHR5). */
export async function noteOffered(
  deps: Deps,
  draft: Draft,
  loaded: Loaded,
  own: AccountRecord,
  { account: by, position }: Said,
  body: HistoryBody,
): Promise<void> {
  const { id, to, count, atMs } = body
  const mine = equalBytes(by, own.account)
  const said = { notice: 'shared', accounts: [to], value: String(count) } as const
  noteGroupLine(draft, loaded, { ...said, position, by, mine, messageId: id, atMs: Math.min(atMs, deps.clock.now()) })
  if (mine || !equalBytes(to, own.account)) return
  const since = placeOf(loaded.sync, own.account)?.since ?? loaded.sync.joinedAt
  const isSound = since !== undefined && body.upTo < since && count <= MAX_SHARED_LINES && body.stash.pieces > 0
  if (!isSound || (await blockedWhile(draft, deps.store)).has(toBase64url(by))) return
  const day = Math.floor(deps.clock.now() / DAY_MS)
  const known = await findShare(draft, loaded.id, (one) => one.share === 'day' && equalBytes(one.by, by))
  const before = known?.record.share === 'day' && known.record.day === day ? known.record.count : 0
  if (before >= MAX_SHARES_A_DAY) return
  draft.put('shares', known?.key ?? newShareKey(deps, loaded.id), { share: 'day', by, day, count: before + 1 })
  const { stash, box, upTo } = body
  const isMuch = count > MAX_UNASKED_LINES || stash.pieces > MAX_UNASKED_PIECES
  draft.put('shares', incomingKey(loaded.id, id), {
    ...{ share: 'in', by, stash, box, count, upTo, next: 0, taken: 0 },
    ...(isMuch ? { asked: true } : {}),
  })
}
