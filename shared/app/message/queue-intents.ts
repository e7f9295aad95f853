import { equalBytes } from '#core/bytes/equal.ts'
import { BODY_VERSION, encodeBody } from '#core/message/body.ts'
import { POST_ID_BYTES, type PostId } from '#core/wire/ids.ts'
import type { Loaded } from '../channel/loaded.ts'
import { unarchived } from '../channel/quiet.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import type { AccountRecord, Intent } from '../ports/records.ts'
import { lineIdKey, preview, WAITING_FROM } from './lines.ts'

/**
 * Carries out what faces asked for in one channel: each intent's effect and its deletion are one transaction, so it
 * happens once whichever window wrote it and whoever crashed (U-03, U-04). Runs in the channel's turn.
 */
export async function queueIntents<T extends Pick<Loaded, 'id' | 'channel'>>(
  deps: Deps,
  account: AccountRecord,
  loaded: T,
): Promise<T> {
  const rows = (await deps.store.list('intents')).filter((row) => row.record.channelId === loaded.id)
  if (rows.length === 0) return loaded
  const draft = new Draft(deps.store)
  for (const { key, record } of rows) {
    draft.delete('intents', key)
    await carryOut(deps, draft, account, record, Number(key))
  }
  const channel = (await draft.get('channels', loaded.id)) ?? loaded.channel
  await draft.commit()
  return { ...loaded, channel }
}

async function carryOut(deps: Deps, draft: Draft, account: AccountRecord, intent: Intent, n: number): Promise<void> {
  const { channelId, messageId } = intent
  const channel = await draft.get('channels', channelId)
  if (channel === undefined) return
  const known = await draft.get('lineIds', lineIdKey(channelId, messageId))
  const order = WAITING_FROM + n

  if (intent.intent === 'text') {
    if (known !== undefined) return
    const { text, atMs } = intent
    const postId = deps.dice(POST_ID_BYTES) as PostId
    const line = { messageId, author: account.account, atMs, mine: true, theirs: channel.theirs, postId }
    draft.put('lines', [channelId, order], { ...line, kind: 'text', text, state: 'waiting' })
    draft.put('lineIds', lineIdKey(channelId, messageId), { order })
    const body = encodeBody({ v: BODY_VERSION, id: messageId, atMs, kind: 'text', text })
    draft.put('outbox', [channelId, n], { postId, body, line: { order, messageId }, attempts: 0 })
    draft.put('channels', channelId, {
      ...unarchived(channel, deps.clock.now()),
      lastText: preview(text),
      lastAtMs: atMs,
      lastMessageId: messageId,
      lastState: 'waiting',
    })
    return
  }

  if (known === undefined) return
  const line = await draft.get('lines', [channelId, known.order])
  if (line?.kind !== 'text' || line.state !== 'failed') return
  if (intent.intent === 'discard') {
    draft.delete('lines', [channelId, known.order])
    draft.delete('lineIds', lineIdKey(channelId, messageId))
    return
  }
  const postId = deps.dice(POST_ID_BYTES) as PostId
  draft.put('lines', [channelId, known.order], { ...line, state: 'waiting', postId })
  const body = encodeBody({ v: BODY_VERSION, id: messageId, atMs: line.atMs, kind: 'text', text: line.text })
  draft.put('outbox', [channelId, n], { postId, body, line: { order: known.order, messageId }, attempts: 0 })
  if (channel.lastMessageId !== undefined && equalBytes(channel.lastMessageId, messageId)) {
    draft.put('channels', channelId, { ...channel, lastState: 'waiting' })
  }
}
