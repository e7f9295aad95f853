import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import type { Body } from '#core/message/body.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import type { ChannelRecord } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'

const VIEWS = 'views'
const KEY_BYTES = 9
/** More than this are not kept of one account until they are compared: the rest says the same, or somebody floods. */
const MAX_OF_ONE = 8

/** Whether messages said something that is still to be compared. */
export async function hasViews(store: Pick<Store, 'list'>): Promise<boolean> {
  return (await store.list('views', { of: VIEWS, limit: 1 })).length > 0
}

/** What a message says of the directory is kept with the message's own effect, and compared later (TRC2). */
export async function noteView(
  deps: Pick<Deps, 'dice'>,
  draft: Draft,
  { kind }: Pick<ChannelRecord, 'kind'>,
  by: AccountId,
  { view, own, theirs }: Body,
): Promise<void> {
  const said = { by, view, own, theirs: kind === 'direct' ? theirs : undefined }
  if (said.view === undefined && said.own === undefined && said.theirs === undefined) return
  const kept = await draft.list('views', { of: VIEWS })
  if (kept.filter(({ record }) => equalBytes(record.by, by)).length >= MAX_OF_ONE) return
  draft.put('views', [VIEWS, toBase64url(deps.dice(KEY_BYTES))], said)
}
