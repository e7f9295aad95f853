import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import type { SharedLine } from '#core/log/shared-history.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import { forgottenOf } from '../log/apply-forget.ts'
import { knownInBlocks } from '../log/block-ids.ts'
import { type HistoryLine, numberIn } from '../log/blocks.ts'
import { putHistory } from '../log/history.ts'
import { noteLine } from '../log/note-line.ts'
import { lineIdKey } from '../message/lines.ts'
import type { IncomingShare } from '../ports/share-records.ts'

/**
 * Lines that somebody has shared, as history and marked as theirs (SHR8). Only where this device has nothing: neither that message
 * nor anything else at that place, readable or not. What it has always stands above what is told.
 */
export async function putShared(
  deps: Pick<Deps, 'clock'>,
  draft: Draft,
  channelId: string,
  { by, upTo }: Pick<IncomingShare, 'by' | 'upTo'>,
  own: AccountId,
  lines: readonly SharedLine[],
): Promise<void> {
  // What this account said itself comes by its own log, and from nobody else.
  const sound = lines.filter(({ order, author }) => order > 0 && order <= upTo && !equalBytes(author, own))
  if (sound.length === 0) return
  const orders = sound.map(({ order }) => order)
  const range = { of: channelId, after: Math.min(...orders) - 1, before: Math.max(...orders) + 1 }
  const taken = new Set((await draft.list('lines', range)).map(({ key }) => numberIn(key)))
  const forgotten = await forgottenOf(draft, channelId)
  const inBlocks = await knownInBlocks(
    draft,
    sound.map(({ id }) => id),
  )
  const seen = new Set<string>()
  const told: HistoryLine[] = []
  const now = deps.clock.now()
  for (const { id, author, atMs, order, text } of sound) {
    const name = toBase64url(id)
    const isHere = taken.has(order) || inBlocks.has(name) || forgotten.has(name) || seen.has(name)
    if (isHere || (await draft.get('lineIds', lineIdKey(channelId, id))) !== undefined) continue
    seen.add(name)
    const line = { messageId: id, author, atMs: Math.min(atMs, now), mine: false, theirs: 0, sharedBy: by }
    told.push({ order, line: { ...line, kind: 'text', text, state: 'delivered' } })
  }
  const added = await putHistory(draft, channelId, told)
  for (const { order } of added) noteLine(draft, channelId, order)
  const channel = await draft.get('channels', channelId)
  if (added.length > 0 && channel !== undefined && !channel.hasShared) {
    draft.put('channels', channelId, { ...channel, hasShared: true })
  }
}
