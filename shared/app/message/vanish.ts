import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import type { MessageId } from '#core/wire/ids.ts'
import { blockedAccounts } from '../contact/block.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { findInBlocks, knownInBlocks } from '../log/block-ids.ts'
import { numberIn, takeFromBlock } from '../log/blocks.ts'
import { newestLines } from '../log/history.ts'
import { waitingKey } from '../log/note-line.ts'
import type { ChannelRecord, LineRecord, VanishingRecord } from '../ports/records.ts'
import type { RowKey, Store } from '../ports/store.ts'
import { isListed, lineIdKey, preview, WAITING_FROM } from './lines.ts'

const DAY_MS = 86_400_000
/** No relay keeps an envelope for longer (T-05), and no honest log brings what is over: then the id need not be known any more. */
const REMEMBERED_MS = 60 * DAY_MS
const LOOKED_THROUGH = 64
const MAX_AT_ONCE = 256

/** This message vanishes then, by this device's clock (VAN2). In the transaction that stores it. */
export async function noteVanishing(
  draft: Draft,
  channelId: string,
  messageId: MessageId,
  atMs: number,
): Promise<void> {
  const key: RowKey = [channelId, atMs]
  const known = await draft.get('vanishing', key)
  draft.put('vanishing', key, { ids: [...idsOf(known), messageId] })
}

export async function noteIfVanishing(draft: Draft, channelId: string, line: LineRecord): Promise<void> {
  if (line.kind !== 'text' || line.vanishesAtMs === undefined) return
  await noteVanishing(draft, channelId, line.messageId, line.vanishesAtMs)
}

/** It was here and is over: it does not come again, whoever says it again (VAN4). */
export async function hasVanished(draft: Draft, channelId: string, messageId: MessageId): Promise<boolean> {
  return (await draft.get('vanishing', goneKey(channelId, messageId))) !== undefined
}

/**
 * Takes away what is over: the line however it is kept, what would say it again, and what the list of conversations shows of it.
 * Some at a time: after weeks away it is much, and what is said meanwhile is not held up. Runs in the channel's turn.
 * @returns when the next one is due, which may be past; `gone`: whether there was any
 */
export async function vanishLines(
  deps: Pick<Deps, 'store' | 'clock'>,
  channelId: string,
): Promise<{ readonly nextMs: number | undefined; readonly gone: boolean }> {
  const now = deps.clock.now()
  const first = await firstOf(deps.store, channelId)
  if (first === undefined || first > now) return { gone: false, nextMs: first }
  const draft = new Draft(deps.store)
  const ids = await takeDue(draft, channelId, now)
  const inBlocks = await knownInBlocks(draft, ids)
  for (const messageId of ids) {
    await takeRow(draft, channelId, messageId)
    if (inBlocks.has(toBase64url(messageId))) await takeFromHistory(draft, channelId, messageId)
    draft.put('vanishing', goneKey(channelId, messageId), { goneAtMs: now })
  }
  const overKey: RowKey = [over(channelId), now + REMEMBERED_MS]
  draft.put('vanishing', overKey, { ids: [...idsOf(await draft.get('vanishing', overKey)), ...ids] })
  await settleChannel(draft, deps.store, channelId, ids)
  await forgetOver(draft, channelId, now)
  await draft.commit()
  return { gone: true, nextMs: await firstOf(deps.store, channelId) }
}

async function firstOf(store: Pick<Store, 'list'>, channelId: string): Promise<number | undefined> {
  const [next] = await store.list('vanishing', { of: channelId, limit: 1 })
  return next && numberIn(next.key)
}

/** What is due first is due no more. */
async function takeDue(draft: Draft, channelId: string, now: number): Promise<readonly MessageId[]> {
  const range = { of: channelId, before: now + 1, limit: MAX_AT_ONCE }
  const taken: MessageId[] = []
  for (const { key, record } of await draft.list('vanishing', range)) {
    const ids = idsOf(record)
    const some = ids.slice(0, MAX_AT_ONCE - taken.length)
    if (some.length < ids.length) draft.put('vanishing', key, { ids: ids.slice(some.length) })
    else draft.delete('vanishing', key)
    taken.push(...some)
    if (taken.length >= MAX_AT_ONCE) break
  }
  return taken
}

async function takeRow(draft: Draft, channelId: string, messageId: MessageId): Promise<void> {
  const known = await draft.get('lineIds', lineIdKey(channelId, messageId))
  if (known === undefined) return
  draft.delete('lines', [channelId, known.order])
  draft.delete('lineIds', lineIdKey(channelId, messageId))
  draft.delete('deltas', waitingKey(channelId, known.order))
  if (known.order >= WAITING_FROM) await dropOutbox(draft, channelId, messageId)
}

async function takeFromHistory(draft: Draft, channelId: string, messageId: MessageId): Promise<void> {
  const found = await findInBlocks(draft, channelId, messageId)
  if (found === undefined) return
  await takeFromBlock(draft, channelId, found.order)
  draft.delete('deltas', waitingKey(channelId, found.order))
}

/** After a repair it may wait to be said once more: not beyond its time. */
async function dropOutbox(draft: Draft, channelId: string, messageId: MessageId): Promise<void> {
  for (const { key, record } of await draft.list('outbox', { of: channelId })) {
    if (record.line !== undefined && equalBytes(record.line.messageId, messageId)) draft.delete('outbox', key)
  }
}

/** Neither the list of conversations nor the count of what is unread keeps anything of it. */
async function settleChannel(
  draft: Draft,
  store: Pick<Store, 'list'>,
  channelId: string,
  ids: readonly MessageId[],
): Promise<void> {
  const channel = await draft.get('channels', channelId)
  if (channel === undefined) return
  const gone = new Set(ids.map(toBase64url))
  const isGone = (id: MessageId): boolean => gone.has(toBase64url(id))
  const left = (await newestLines(store, channelId, { limit: LOOKED_THROUGH + ids.length })).filter(
    ({ line }) => line.kind !== 'text' || !isGone(line.messageId),
  )
  if (channel.lastMessageId !== undefined && isGone(channel.lastMessageId)) {
    const blocked = await blockedAccounts(store)
    const last = left.find(({ line }) => isListed(line, blocked))
    draft.put('channels', channelId, withLast(channel, last?.line))
  }
  const read = await draft.get('reads', channelId)
  const isUnreadLeft = left.some(
    ({ order, line }) => !line.mine && line.theirs > (read?.theirs ?? 0) && order > (read?.order ?? -1),
  )
  if (isUnreadLeft || channel.theirs <= (read?.theirs ?? 0)) return
  draft.put('reads', channelId, { order: read?.order ?? -1, theirs: channel.theirs })
}

function withLast(channel: ChannelRecord, line: LineRecord | undefined): ChannelRecord {
  const { lastMessageId: _, ...rest } = channel
  if (line?.kind !== 'text') return { ...rest, lastText: '', lastState: 'none' }
  const lastState = line.mine ? line.state : 'theirs'
  return { ...rest, lastText: preview(line.text), lastMessageId: line.messageId, lastState }
}

/** What was remembered for long enough is forgotten. */
async function forgetOver(draft: Draft, channelId: string, now: number): Promise<void> {
  for (const { key, record } of await draft.list('vanishing', { of: over(channelId), before: now })) {
    for (const id of idsOf(record)) draft.delete('vanishing', goneKey(channelId, id))
    draft.delete('vanishing', key)
  }
}

function idsOf(record: VanishingRecord | undefined): readonly MessageId[] {
  return record !== undefined && 'ids' in record ? record.ids : []
}

function over(channelId: string): string {
  return `over ${channelId}`
}

function goneKey(channelId: string, messageId: MessageId): RowKey {
  return [`gone ${channelId}`, toBase64url(messageId)]
}
