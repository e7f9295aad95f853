import { equalBytes } from '#core/bytes/equal.ts'
import { noteOrder, notesAddress } from '#core/log/notes.ts'
import type { AccountId } from '#core/wire/ids.ts'
import { readAccount } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { lineIdKey, preview } from '../message/lines.ts'
import type { AccountRecord, ChannelRecord, Intent } from '../ports/records.ts'
import { hasMessage } from './history.ts'
import { noteLine } from './note-line.ts'

/** The channel of notes to oneself (L-02), on every device under the same name: it tells nothing. */
export const NOTES = 'notes'

/** It is there with the identity. Runs in the channel's turn. */
export async function ensureNotes(deps: Pick<Deps, 'store' | 'clock'>): Promise<void> {
  const account = await readAccount(deps.store)
  if (account === undefined || account.revoked || (await deps.store.get('channels', NOTES)) !== undefined) return
  await deps.store.write([{ put: 'channels', key: NOTES, record: notesChannel(account.account, deps.clock.now()) }])
}

export function notesChannel(account: AccountId, nowMs: number): ChannelRecord {
  return {
    title: '',
    kind: 'notes',
    address: notesAddress(account),
    state: 'open',
    lastText: '',
    lastAtMs: nowMs,
    lastState: 'none',
    theirs: 0,
  }
}

/** Writes down what faces wrote there: no seat, no group, no relay to order it. Runs in the channel's turn. */
export async function queueNotes(deps: Deps, account: AccountRecord): Promise<void> {
  const rows = (await deps.store.list('intents')).filter(({ record }) => record.channelId === NOTES)
  if (rows.length === 0) return
  const draft = new Draft(deps.store)
  for (const { key, record } of rows) {
    draft.delete('intents', key)
    await writeDown(draft, account, record)
  }
  await draft.commit()
}

async function writeDown(draft: Draft, account: AccountRecord, intent: Intent): Promise<void> {
  const channel = await draft.get('channels', NOTES)
  if (channel === undefined || intent.intent !== 'text') return
  const { messageId, text } = intent
  if (await hasMessage(draft, NOTES, messageId)) return
  let { atMs } = intent
  while ((await draft.get('lines', [NOTES, noteOrder(atMs, messageId)])) !== undefined) atMs += 1
  const order = noteOrder(atMs, messageId)
  const line = { messageId, author: account.account, atMs, mine: true, theirs: 0 }
  draft.put('lines', [NOTES, order], { ...line, kind: 'text', text, state: 'waiting' })
  draft.put('lineIds', lineIdKey(NOTES, messageId), { order })
  noteLine(draft, NOTES, order)
  const shown = { lastText: preview(text), lastAtMs: atMs, lastMessageId: messageId, lastState: 'waiting' } as const
  draft.put('channels', NOTES, { ...channel, ...shown })
}

/** These are in the log: any device of the account can have them. */
export async function settleNotes(draft: Draft, orders: readonly number[]): Promise<void> {
  const channel = await draft.get('channels', NOTES)
  for (const order of orders) {
    const line = await draft.get('lines', [NOTES, order])
    if (line?.kind !== 'text' || line.state !== 'waiting') continue
    draft.put('lines', [NOTES, order], { ...line, state: 'sent' })
    if (channel?.lastMessageId !== undefined && equalBytes(channel.lastMessageId, line.messageId)) {
      draft.put('channels', NOTES, { ...channel, lastState: 'sent' })
    }
  }
}
