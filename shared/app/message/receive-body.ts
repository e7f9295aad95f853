import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { StoreError } from '#core/errors.ts'
import { decodeBody, type TextBody } from '#core/message/body.ts'
import type { Opened } from '#core/mls/index.ts'
import { members } from '#core/mls/index.ts'
import type { MessageId } from '#core/wire/ids.ts'
import type { Ordered } from '#core/wire/operations.ts'
import { readAccount } from '../account/read-account.ts'
import { compareSeen, noteAgreed } from '../channel/compare-seen.ts'
import type { Loaded } from '../channel/loaded.ts'
import { unarchived } from '../channel/quiet.ts'
import { blockedWhile } from '../contact/block.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import { noteLeft, withName } from '../group/note-left.ts'
import { takeKeys } from '../join/take-keys.ts'
import { hasMessage } from '../log/history.ts'
import { noteLine } from '../log/note-line.ts'
import type { ChannelRecord } from '../ports/records.ts'
import { giveWay } from '../share/give-way.ts'
import { noteOffered } from '../share/note-offered.ts'
import { noteView } from '../transparency/note-view.ts'
import { addLine, lineIdKey, WAITING_FROM } from './lines.ts'
import { noteAnswered, noteAsked, takeAgain } from './receive-asked.ts'
import { takeBackIn } from './take-back-in.ts'
import { hasVanished } from './vanish.ts'

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
  const { loaded: checked, agreed } = await compareSeen(draft, loaded, opened.from, body.seen, deps.clock.now())
  if (agreed !== undefined) await noteAgreed(draft, loaded.id, agreed)
  const own = await readAccount(deps.store)
  if (own === undefined) throw new StoreError('store/keys-missing')
  const { from } = opened
  const isOwn = equalBytes(own.account, from.account)
  await noteView(deps, draft, loaded.channel, from.account, body)
  switch (body.kind) {
    case 'text':
      return receiveText(deps, draft, checked, { from, mine: isOwn, item, body })
    case 'receipt':
      // By an own device it says nothing that anybody asked (M-10).
      if (isOwn) return { loaded: checked, arrived: 0 }
      return { loaded: { ...checked, channel: await delivered(draft, checked, body.delivered) }, arrived: 0 }
    case 'ask':
      return { loaded: noteAsked(deps, checked, own, from, item, body), arrived: 0 }
    case 'again':
      return { loaded: checked, arrived: isOwn ? 0 : await takeAgain(deps, draft, checked, from, body) }
    case 'answered':
      return { loaded: await noteAnswered(draft, checked, own, from, body), arrived: 0 }
    case 'leave':
      return {
        loaded: noteLeft(deps, draft, checked, own, { position: item.position, leaver: from.account }),
        arrived: 0,
      }
    case 'history':
      await noteOffered(deps, draft, checked, own, { account: from.account, position: item.position }, body)
      return { loaded: checked, arrived: 0 }
    case 'keeper':
      return { loaded: { ...checked, channel: await takeKeys(deps, checked, own, from.account, body) }, arrived: 0 }
    case 'name':
      return { loaded: { ...checked, channel: withName(checked.channel, from.account, body.name) }, arrived: 0 }
  }
}

type ReceivedText = {
  readonly from: OpenedMessage['from']
  readonly mine: boolean
  readonly item: Ordered
  readonly body: TextBody
}

async function receiveText(
  deps: Deps,
  draft: Draft,
  loaded: Loaded,
  { from, mine, item, body }: ReceivedText,
): Promise<{ loaded: Loaded; arrived: number }> {
  // One message id, one line: an author whose first copy arrived after all had sealed it again (U-03).
  if (body.timerMs !== undefined && (await hasVanished(draft, loaded.id, body.id))) return { loaded, arrived: 0 }
  const isKnown = await hasMessage(draft, loaded.id, body.id)
  if (isKnown && !(loaded.channel.hasShared && (await giveWay(draft, loaded.id, body.id)))) {
    const { account } = from
    await takeBackIn(draft, loaded.id, { account, messageId: body.id, order: item.position })
    return { loaded, arrived: 0 }
  }
  const hidden = !mine && (await blockedWhile(draft, deps.store)).has(toBase64url(from.account))
  const channel = await addLine(draft, loaded, item.position, {
    kind: 'text',
    messageId: body.id,
    author: from.account,
    mine,
    atMs: body.atMs,
    text: body.text,
    vanishesAtMs: body.timerMs === undefined ? undefined : deps.clock.now() + body.timerMs,
    hidden,
  })
  if (hidden) return { loaded: { ...loaded, channel }, arrived: 0 }
  const owes = !mine && members(loaded.group).length <= MAX_RECEIPT_DEVICES
  const sync = owes ? { ...loaded.sync, owed: [...loaded.sync.owed, body.id] } : loaded.sync
  const shown = unarchived(channel, deps.clock.now())
  return { loaded: { ...loaded, channel: shown, sync }, arrived: mine ? 0 : 1 }
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
    if (known.order < WAITING_FROM) noteLine(draft, id, known.order)
    if (next.lastMessageId !== undefined && equalBytes(next.lastMessageId, messageId))
      next = { ...next, lastState: 'delivered' }
  }
  return next
}
