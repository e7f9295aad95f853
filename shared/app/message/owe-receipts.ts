import { BODY_VERSION, encodeBody, MAX_RECEIPTS } from '#core/message/body.ts'
import { MESSAGE_ID_BYTES, type MessageId, POST_ID_BYTES, type PostId } from '#core/wire/ids.ts'
import type { Loaded } from '../channel/loaded.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'

/** Receipts stand before everything that is written, so their place in the outbox is a number that no line has. */
const RECEIPT_SLOT = 0
/** In a channel of two a receipt is waited for; in larger ones many ride in one, and not all members send at once. */
const RECEIPTS_AFTER_MS = { direct: 120, group: 4_000 } as const

export function receiptDelayMs(deps: Pick<Deps, 'dice'>, { channel }: Loaded): number {
  const [spread = 0] = deps.dice(1)
  return RECEIPTS_AFTER_MS[channel.kind === 'direct' ? 'direct' : 'group'] * (0.5 + spread / 512)
}

/** Turns what is owed into one receipt on its way, one at a time, many messages each (M-10). */
export async function oweReceipts(deps: Deps, loaded: Loaded): Promise<Loaded> {
  const { owed } = loaded.sync
  if (owed.length === 0) return loaded
  const key = [loaded.id, RECEIPT_SLOT] as const
  if ((await deps.store.get('outbox', key)) !== undefined) return loaded
  const body = encodeBody({
    v: BODY_VERSION,
    id: deps.dice(MESSAGE_ID_BYTES) as MessageId,
    atMs: deps.clock.now(),
    kind: 'receipt',
    delivered: owed.slice(0, MAX_RECEIPTS),
  })
  const sync = { ...loaded.sync, owed: owed.slice(MAX_RECEIPTS) }
  const draft = new Draft(deps.store)
  draft.put('outbox', key, { postId: deps.dice(POST_ID_BYTES) as PostId, body, attempts: 0 })
  draft.put('syncs', loaded.id, sync)
  await draft.commit()
  return { ...loaded, sync }
}
