import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import type { DeltaOf } from '#core/log/delta.ts'
import { blockedWhile } from '../contact/block.ts'
import type { Draft } from '../draft.ts'
import { isListed, lineIdKey, preview, WAITING_FROM } from '../message/lines.ts'
import { hasVanished, noteIfVanishing } from '../message/vanish.ts'
import type { ChannelRecord, LineRecord } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'
import { giveWay } from '../share/give-way.ts'
import { forgottenOf } from './apply-forget.ts'
import { findInBlocks, knownInBlocks } from './block-ids.ts'
import { blockAt, type HistoryLine, numberIn } from './blocks.ts'
import { putHistory } from './history.ts'
import { waitingKey } from './note-line.ts'
import type { Applying } from './settle-book.ts'

export type LineDelta = DeltaOf<'line'>

/** So few are looked for one by one, where nothing is known of a repair yet: what comes while people talk, not a history. */
const MAX_LOOKED = 64
const NOBODY: ReadonlySet<string> = new Set()

/** Of lines that another device told, those that this one has in the same state: nothing is to be done but to tell them no more. */
export async function knownLines(
  store: Pick<Store, 'list'>,
  channelId: string,
  lines: readonly LineDelta[],
): Promise<ReadonlySet<LineDelta>> {
  const orders = lines.map(({ order }) => order)
  const range = { of: channelId, after: Math.min(...orders) - 1, before: Math.max(...orders) + 1 }
  const rows = new Map((await store.list('lines', range)).map(({ key, record }) => [numberIn(key), record]))
  return new Set(lines.filter((line) => isSame(rows.get(line.order), line)))
}

function isSame(row: LineRecord | undefined, line: LineDelta): boolean {
  if (row === undefined || !equalBytes(row.messageId, line.messageId)) return false
  return row.kind !== 'text' || row.state === (line.state ?? 'delivered') || row.state === 'delivered'
}

/** They are in the log: this device need not append them too. */
export function dropWaiting(draft: Draft, channelId: string, lines: Iterable<LineDelta>): void {
  for (const { order } of lines) draft.delete('deltas', waitingKey(channelId, order))
}

/** Puts lines into the channel's history. Runs in its turn. @returns how many were not there */
export async function applyLines(applying: Applying, channelId: string, lines: readonly LineDelta[]): Promise<number> {
  const { deps, draft, own } = applying
  const channel = await draft.get('channels', channelId)
  if (channel === undefined) return 0
  const forgotten = await forgottenOf(draft, channelId)
  // A page that a restore comes to holds few lines of many channels, and there are many pages: each look is through all of it.
  const isLooked = channel.repaired || (!applying.isOldPage && lines.length <= MAX_LOOKED)
  const elsewhere = isLooked ? await standElsewhere(draft, channelId, lines) : new Set<LineDelta>()
  const over = await vanished(applying, channelId, lines)
  const kept = lines.filter(
    (line) => !forgotten.has(toBase64url(line.messageId)) && !elsewhere.has(line) && !over.has(line),
  )
  if (channel.hasShared) await giveWayTo(draft, channelId, kept)
  const history = kept.map((line) => ({ order: line.order, line: lineOf(line, own.account.account) }))
  const waiting = await settleWaiting(draft, channelId, history)
  const added = await putHistory(draft, channelId, history, { besides: true })
  for (const { line } of added) await noteIfVanishing(draft, channelId, line)
  const fresh = new Set(added.map(({ order }) => order))
  const here = kept.filter(({ order }) => !fresh.has(order))
  dropWaiting(draft, channelId, here)
  const risen = await riseStates(draft, channelId, here, channel)
  const blocked = added.length === 0 ? NOBODY : await blockedWhile(draft, deps.store)
  const newest = added.findLast(({ line }) => isListed(line, blocked))
  const logged = Math.max(channel.logged ?? 0, ...lines.map(({ order }) => order))
  const after = newest === undefined ? risen : shown(risen, newest)
  const hasShared = channel.hasShared || lines.some(({ sharedBy }) => sharedBy !== undefined)
  draft.put('channels', channelId, { ...after, logged, ...(hasShared ? { hasShared: true } : {}) })
  return added.length + waiting
}

/** The account's own words for it come before what was shared (SHR8). Asked of all at once: each look is through all that is here. */
async function giveWayTo(draft: Draft, channelId: string, lines: readonly LineDelta[]): Promise<void> {
  const ids = lines.flatMap(({ sharedBy, messageId }) => (sharedBy === undefined ? [messageId] : []))
  const known = await knownInBlocks(draft, ids)
  for (const id of ids) if (known.has(toBase64url(id))) await giveWay(draft, channelId, id)
}

/** Those whose time is over, by this device's clock, or that have vanished here already (VAN4). */
async function vanished(
  { deps, draft }: Applying,
  channelId: string,
  lines: readonly LineDelta[],
): Promise<ReadonlySet<LineDelta>> {
  const over = new Set<LineDelta>()
  const now = deps.clock.now()
  for (const line of lines) {
    if (line.vanishesAtMs === undefined) continue
    if (line.vanishesAtMs <= now || (await hasVanished(draft, channelId, line.messageId))) over.add(line)
  }
  return over
}

/** In a channel that was repaired, a message may have another place here than where it was told of first (FRK5): one id, one line. */
async function standElsewhere(
  draft: Draft,
  channelId: string,
  lines: readonly LineDelta[],
): Promise<ReadonlySet<LineDelta>> {
  const there = new Set<LineDelta>()
  for (const line of lines) {
    const known =
      (await draft.get('lineIds', lineIdKey(channelId, line.messageId))) ??
      (await findInBlocks(draft, channelId, line.messageId))
    // One that stands beside its place has it no more, though the place be free by now.
    if (known !== undefined && known.order !== line.order && known.order < WAITING_FROM) there.add(line)
  }
  return there
}

function lineOf(delta: LineDelta, own: Uint8Array): LineRecord {
  const { messageId, author, atMs, text, state = 'sent', sharedBy, vanishesAtMs } = delta
  const mine = sharedBy === undefined && equalBytes(author, own)
  const shared = { ...(sharedBy && { sharedBy }), ...(vanishesAtMs === undefined ? {} : { vanishesAtMs }) }
  return { messageId, author, atMs, mine, theirs: 0, kind: 'text', text, state: mine ? state : 'delivered', ...shared }
}

/**
 * A message that waits here and has its place in the log was sent before this copy of the store was made (L-04): it is not
 * sent again, and goes to its place.
 */
async function settleWaiting(draft: Draft, channelId: string, lines: readonly HistoryLine[]): Promise<number> {
  const mine = new Map(lines.filter(({ line }) => line.mine).map((one) => [toBase64url(one.line.messageId), one]))
  if (mine.size === 0) return 0
  let settled = 0
  for (const { key, record } of await draft.list('lines', { of: channelId, after: WAITING_FROM - 1 })) {
    const there = mine.get(toBase64url(record.messageId))
    if (there === undefined || there.order === numberIn(key)) continue
    draft.delete('lines', key)
    draft.delete('lineIds', lineIdKey(channelId, record.messageId))
    for (const row of await draft.list('outbox', { of: channelId })) {
      if (row.record.line?.order === numberIn(key)) draft.delete('outbox', row.key)
    }
    settled++
  }
  return settled
}

/** What was delivered once is not merely sent any more, on whichever device that was seen. */
async function riseStates(
  draft: Draft,
  channelId: string,
  lines: readonly LineDelta[],
  channel: ChannelRecord,
): Promise<ChannelRecord> {
  let next = channel
  for (const { order, state, messageId } of lines) {
    if (state === undefined) continue
    const row = await draft.get('lines', [channelId, order])
    if (row !== undefined) {
      const risen = rise(row, state, messageId)
      if (risen === row) continue
      draft.put('lines', [channelId, order], risen)
      if (next.lastMessageId && equalBytes(next.lastMessageId, messageId)) next = { ...next, lastState: state }
      continue
    }
    const block = await blockAt(draft, channelId, order)
    if (block === undefined) continue
    const changed = block.record.lines.map((one) =>
      one.order === order ? { order, line: rise(one.line, state, messageId) } : one,
    )
    if (changed.some(({ line }, i) => line !== block.record.lines[i]?.line)) {
      draft.put('blocks', [channelId, block.first], { ...block.record, lines: changed })
    }
  }
  return next
}

function rise(line: LineRecord, state: 'sent' | 'delivered', messageId: Uint8Array): LineRecord {
  if (line.kind !== 'text' || !line.mine || !equalBytes(line.messageId, messageId)) return line
  if (line.state === 'delivered' || line.state === state) return line
  return { ...line, state }
}

/** What the channel list shows, when this is newer than that. */
export function shown(channel: ChannelRecord, { line }: HistoryLine): ChannelRecord {
  if (line.kind !== 'text' || (channel.lastText !== '' && line.atMs <= channel.lastAtMs)) return channel
  return {
    ...channel,
    lastText: preview(line.text),
    lastAtMs: line.atMs,
    lastMessageId: line.messageId,
    lastState: line.mine ? line.state : 'theirs',
  }
}
