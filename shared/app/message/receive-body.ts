import { equalBytes } from '#core/bytes/equal.ts'
import { type Body, decodeBody } from '#core/message/body.ts'
import type { Opened } from '#core/mls/index.ts'
import { members } from '#core/mls/index.ts'
import type { MessageId } from '#core/wire/ids.ts'
import type { Ordered, Place } from '#core/wire/operations.ts'
import type { Loaded } from '../channel/loaded.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import { hasMessage } from '../log/history.ts'
import type { ChannelRecord } from '../ports/records.ts'
import { addLine, lineIdKey } from './lines.ts'

/** Above this, receipts cost more than they tell: 'sent' is all that is shown (DESIGN, Receipts). */
const MAX_RECEIPT_DEVICES = 32

type OpenedMessage = Extract<Opened, { kind: 'message' }>

/** @throws WireError when the body is not one that this version knows: the envelope is passed over, and named */
export async function receiveBody(
  deps: Deps,
  draft: Draft,
  loaded: Loaded,
  opened: OpenedMessage,
  item: Ordered,
): Promise<{ loaded: Loaded; arrived: number }> {
  const body = decodeBody(opened.plaintext)
  const checked = compareSeen(loaded, body.seen)
  if (body.kind === 'receipt') {
    return { loaded: { ...checked, channel: await delivered(draft, checked, body.delivered) }, arrived: 0 }
  }
  return receiveText(deps, draft, checked, opened, item, body)
}

async function receiveText(
  deps: Deps,
  draft: Draft,
  loaded: Loaded,
  { from }: OpenedMessage,
  item: Ordered,
  body: Extract<Body, { kind: 'text' }>,
): Promise<{ loaded: Loaded; arrived: number }> {
  // One message id, one line: an author whose first copy arrived after all had sealed it again (U-03).
  if (await hasMessage(draft, loaded.id, body.id)) return { loaded, arrived: 0 }
  const account = await deps.store.get('meta', 'account')
  const mine = account?.kind === 'account' && equalBytes(account.account, from.account)
  const channel = await addLine(draft, loaded, item.position, {
    kind: 'text',
    messageId: body.id,
    author: from.account,
    atMs: body.atMs,
    text: body.text,
  })
  const owes = !mine && members(loaded.group).length <= MAX_RECEIPT_DEVICES
  const sync = owes ? { ...loaded.sync, owed: [...loaded.sync.owed, body.id] } : loaded.sync
  return { loaded: { ...loaded, channel, sync }, arrived: 1 }
}

/** 'Delivered': a device of somebody else has it on its disk (M-10). Only ever said of one's own lines. */
async function delivered(draft: Draft, { id, channel }: Loaded, ids: readonly MessageId[]): Promise<ChannelRecord> {
  let next = channel
  for (const messageId of ids) {
    const known = await draft.get('lineIds', lineIdKey(id, messageId))
    if (known === undefined) continue
    const line = await draft.get('lines', [id, known.order])
    if (line?.kind !== 'text' || !line.mine || line.state === 'delivered') continue
    draft.put('lines', [id, known.order], { ...line, state: 'delivered' })
    if (next.lastMessageId !== undefined && equalBytes(next.lastMessageId, messageId))
      next = { ...next, lastState: 'delivered' }
  }
  return next
}

/** C-06: a member that saw another history at a place that this device has seen too means a fork: stop and say so. */
function compareSeen(loaded: Loaded, seen: Place | undefined): Loaded {
  const own = loaded.sync.heads.find((known) => known.position === seen?.position)
  if (seen === undefined || own === undefined || equalBytes(own.head, seen.head)) return loaded
  return { ...loaded, channel: { ...loaded.channel, state: 'paused', pausedBy: 'forked' } }
}
