import { equalBytes } from '#core/bytes/equal.ts'
import type { AccountId, MessageId } from '#core/wire/ids.ts'
import type { Draft } from '../draft.ts'
import { beside } from '../log/beside.ts'
import { findInBlocks } from '../log/block-ids.ts'
import { takeFromBlock } from '../log/blocks.ts'
import { putHistory } from '../log/history.ts'
import { noteLine } from '../log/note-line.ts'
import type { LineRecord } from '../ports/records.ts'
import { lineIdKey } from './lines.ts'

type Said = { readonly account: AccountId; readonly messageId: MessageId; readonly order: number }

/**
 * Its author says again what this device had from before a repair: it is in the one view from here on, at the place that all
 * see (FRK5). What it said stays as it came first.
 */
export async function takeBackIn(draft: Draft, id: string, said: Said): Promise<void> {
  const { messageId, order } = said
  const known = await draft.get('lineIds', lineIdKey(id, messageId))
  if (known === undefined) return takeFromHistory(draft, id, said)
  const settled = settledOf(await draft.get('lines', [id, known.order]), said)
  if (settled === undefined) return
  const isTaken = known.order !== order && (await draft.get('lines', [id, order])) !== undefined
  const place = isTaken ? beside(order, messageId) : order
  draft.delete('lines', [id, known.order])
  draft.put('lines', [id, place], settled)
  draft.put('lineIds', lineIdKey(id, messageId), { order: place })
  noteLine(draft, id, place)
}

/** An archive has brought it (ARC8). */
async function takeFromHistory(draft: Draft, id: string, said: Said): Promise<void> {
  const known = await findInBlocks(draft, id, said.messageId)
  const settled = settledOf(known?.line, said)
  if (known === undefined || settled === undefined) return
  await takeFromBlock(draft, id, known.order)
  const added = await putHistory(draft, id, [{ order: said.order, line: settled }], { besides: true })
  for (const { order } of added) noteLine(draft, id, order)
}

/** Without the mark, where it has one and that author has said it. */
function settledOf(line: LineRecord | undefined, { account }: Said): LineRecord | undefined {
  if (line?.kind !== 'text' || !line.aside || !equalBytes(line.author, account)) return undefined
  const { aside: _, ...settled } = line
  return settled
}
