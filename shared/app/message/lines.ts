import { toBase64url } from '#core/bytes/base64url.ts'
import { ACCOUNT_BYTES, type AccountId, type MessageId } from '#core/wire/ids.ts'
import type { Loaded } from '../channel/loaded.ts'
import type { Draft } from '../draft.ts'
import { noteLine } from '../log/note-line.ts'
import type { ChannelRecord, LineRecord, Notice } from '../ports/records.ts'
import type { RowKey } from '../ports/store.ts'
import { noteVanishing } from './vanish.ts'

/** Lines that have no place in the channel yet stand after all that have one, in the order they were written. */
export const WAITING_FROM = 2 ** 45
const NOBODY = new Uint8Array(ACCOUNT_BYTES) as AccountId

export function lineIdKey(channelId: string, messageId: MessageId): RowKey {
  return [channelId, toBase64url(messageId)]
}

type NewLine =
  | {
      readonly kind: 'text'
      readonly messageId: MessageId
      readonly author: AccountId
      readonly mine: boolean // by another device of this account
      readonly atMs: number
      readonly text: string
      readonly vanishesAtMs?: number | undefined
      readonly hidden?: boolean // by somebody who is blocked: kept, and counted nowhere (M-11)
    }
  | { readonly kind: 'unreadable'; readonly messageId: Uint8Array; readonly atMs: number; readonly cause: string }
  | {
      readonly kind: 'notice'
      readonly messageId: Uint8Array
      readonly atMs: number
      readonly notice: Notice
      readonly name: string
    }

/** Adds a line that came through the channel at its place and returns what the channel list shows from then on. */
export async function addLine(
  draft: Draft,
  { id, channel }: Pick<Loaded, 'id' | 'channel'>,
  order: number,
  line: NewLine,
): Promise<ChannelRecord> {
  const mine = line.kind === 'text' && line.mine
  const hidden = line.kind === 'text' && line.hidden === true
  const theirs = channel.theirs + (line.kind === 'notice' || mine || hidden ? 0 : 1)
  const common = { messageId: line.messageId as MessageId, atMs: line.atMs, mine, theirs }
  const record: LineRecord =
    line.kind === 'text'
      ? { ...common, ...textOf(line), state: mine ? 'sent' : 'delivered' }
      : line.kind === 'unreadable'
        ? { ...common, author: NOBODY, kind: 'unreadable', cause: line.cause }
        : { ...common, author: NOBODY, kind: 'notice', notice: line.notice, name: line.name }
  draft.put('lines', [id, order], record)
  if (line.kind === 'unreadable') return { ...channel, theirs, unreadable: withOne(channel.unreadable, order) }
  if (line.kind !== 'text') return { ...channel, theirs }
  draft.put('lineIds', lineIdKey(id, common.messageId), { order })
  if (line.vanishesAtMs !== undefined) await noteVanishing(draft, id, line.messageId, line.vanishesAtMs)
  noteLine(draft, id, order)
  if (hidden) return channel
  return {
    ...channel,
    theirs,
    lastText: preview(line.text),
    lastAtMs: line.atMs,
    lastMessageId: line.messageId,
    lastState: mine ? 'sent' : 'theirs',
  }
}

function textOf({ author, text, vanishesAtMs }: NewLine & { readonly kind: 'text' }) {
  return { author, kind: 'text' as const, text, ...(vanishesAtMs === undefined ? {} : { vanishesAtMs }) }
}

/** Where to look for what did not open (M-09): more than a page of them would show is not listed one by one. */
const MAX_UNREADABLE = 64

function withOne(orders: readonly number[] | undefined, order: number): readonly number[] {
  return [...(orders ?? []).filter((other) => other !== order), order].slice(-MAX_UNREADABLE)
}

/** May the list of conversations show it? What somebody shared is not proven (SHR8), and blocked people are not shown (M-11). */
export function isListed(line: LineRecord, blocked: ReadonlySet<string>): boolean {
  if (line.kind !== 'text' || line.sharedBy !== undefined) return false
  return line.mine || !blocked.has(toBase64url(line.author))
}

const PREVIEW_UNITS = 160

/** One line for the channel list; never cuts a character in two. */
export function preview(text: string): string {
  const flat = text
    .slice(0, PREVIEW_UNITS * 4)
    .replace(/\s+/gu, ' ')
    .trim()
  return flat.length <= PREVIEW_UNITS ? flat : `${[...flat.slice(0, PREVIEW_UNITS)].slice(0, -1).join('')}…`
}
