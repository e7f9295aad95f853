import { toBase64url } from '#core/bytes/base64url.ts'
import type { Dated, DeltaOf } from '#core/log/delta.ts'
import type { Draft } from '../draft.ts'
import { lineIdKey } from '../message/lines.ts'
import { findInBlocks } from './block-ids.ts'
import { takeFromBlock } from './blocks.ts'
import type { Applying } from './settle-book.ts'

/** A tombstone wins over every line of that id, whichever comes first (MRG2). */
export async function applyForget(
  { draft, position }: Applying,
  channelId: string,
  { by, delta }: Dated<DeltaOf<'forget'>>,
): Promise<void> {
  const id = toBase64url(delta.messageId)
  draft.put('logged', [forgottenIn(channelId), id], { stamp: delta.at, by, hash: new Uint8Array(), position })
  const known = await draft.get('lineIds', lineIdKey(channelId, delta.messageId))
  if (known !== undefined) {
    draft.delete('lines', [channelId, known.order])
    draft.delete('lineIds', lineIdKey(channelId, delta.messageId))
  }
  const found = await findInBlocks(draft, channelId, delta.messageId)
  if (found !== undefined) await takeFromBlock(draft, channelId, found.order)
}

/** Ids of what is not to be shown any more. */
export async function forgottenOf(draft: Draft, channelId: string): Promise<ReadonlySet<string>> {
  const rows = await draft.list('logged', { of: forgottenIn(channelId) })
  return new Set(rows.map(({ key }) => String((key as readonly [string, string])[1])))
}

function forgottenIn(channelId: string): string {
  return `forget ${channelId}`
}
