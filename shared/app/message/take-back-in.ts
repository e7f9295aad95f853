import { equalBytes } from '#core/bytes/equal.ts'
import type { AccountId, MessageId } from '#core/wire/ids.ts'
import type { Draft } from '../draft.ts'
import { beside } from '../log/beside.ts'
import { noteLine } from '../log/note-line.ts'
import { lineIdKey } from './lines.ts'

/**
 * Its author says again what this device had from before a repair: it is in the one view from here on, at the place that all
 * see (FRK5). What it said stays as it came first.
 */
export async function takeBackIn(
  draft: Draft,
  id: string,
  { account, messageId, order }: { readonly account: AccountId; readonly messageId: MessageId; readonly order: number },
): Promise<void> {
  const known = await draft.get('lineIds', lineIdKey(id, messageId))
  const line = known && (await draft.get('lines', [id, known.order]))
  if (known === undefined || line?.kind !== 'text' || !line.aside || !equalBytes(line.author, account)) return
  const { aside: _, ...settled } = line
  const isTaken = known.order !== order && (await draft.get('lines', [id, order])) !== undefined
  const place = isTaken ? beside(order, messageId) : order
  draft.delete('lines', [id, known.order])
  draft.put('lines', [id, place], settled)
  draft.put('lineIds', lineIdKey(id, messageId), { order: place })
  noteLine(draft, id, place)
}
