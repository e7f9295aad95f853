import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { forgottenOf } from '../log/apply-forget.ts'
import { shown } from '../log/apply-lines.ts'
import { type HistoryLine, putHistory } from '../log/history.ts'
import { NOTES, notesChannel } from '../log/notes.ts'
import type { LineRecord } from '../ports/records.ts'
import type { ArchiveLine } from './archive-line.ts'
import type { Importing } from './import-batch.ts'

type Channel = Extract<ArchiveLine, { type: 'channel' }>
type Said = Extract<ArchiveLine, { type: 'line' }>

/** A conversation that is here stays as it is. One that is not has no group, no seat and no entry: it is only read (I-07). */
export async function importChannel({ draft, own, deps }: Importing, channelId: string, line: Channel): Promise<void> {
  if ((await draft.get('channels', channelId)) !== undefined) return
  const { kind, title } = line
  const ended = {
    state: 'paused',
    pausedBy: 'removed',
    lastText: '',
    lastAtMs: 0,
    lastState: 'none',
    theirs: 0,
  } as const
  draft.put(
    'channels',
    channelId,
    channelId === NOTES ? notesChannel(own.account, deps.clock.now()) : { title, kind, ...ended },
  )
}

/** As history: never to be sent, never unread. What was deleted here stays deleted, what was marked is so still (ARC8). */
export async function importLines(importing: Importing, channelId: string, lines: readonly Said[]): Promise<void> {
  const { draft } = importing
  const channel = await draft.get('channels', channelId)
  if (channel === undefined) return
  const forgotten = await forgottenOf(draft, channelId)
  const history = lines.flatMap((line) => {
    const record = lineOf(importing, channelId, line)
    return record === undefined || forgotten.has(toBase64url(line.id)) ? [] : [{ order: line.order, line: record }]
  })
  const added = await putHistory(draft, channelId, history)
  const newest = added.findLast((one) => !isShared(one))
  const after = newest === undefined ? channel : shown(channel, newest)
  const hasShared = channel.hasShared || added.some(isShared)
  if (added.length > 0) draft.put('channels', channelId, hasShared ? { ...after, hasShared } : after)
}

function isShared({ line }: HistoryLine): boolean {
  return line.kind === 'text' && line.sharedBy !== undefined
}

/** Undefined: a message that had not been sent. Whoever exported it may still send it. */
function lineOf({ head }: Importing, channelId: string, line: Said): LineRecord | undefined {
  const mine = line.sharedBy === undefined && equalBytes(line.author, head.account)
  const isOut = line.state === 'sent' || line.state === 'delivered'
  if (!isOut && channelId !== NOTES) return undefined
  const { id: messageId, author, atMs, text, sharedBy, aside } = line
  const state = !mine || line.state === 'delivered' ? 'delivered' : 'sent'
  const record = { messageId, author, atMs, mine, theirs: 0, kind: 'text', text, state } as const
  return { ...record, ...(sharedBy && { sharedBy }), ...(aside && { aside }) }
}
