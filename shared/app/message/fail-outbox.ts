import { equalBytes } from '#core/bytes/equal.ts'
import type { Loaded } from '../channel/loaded.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'

/**
 * The relay refuses for good: what waits is marked as not sent, with the reason, and stays with the person, who may try
 * again or take it back (M-09). Nothing of it is lost.
 */
export async function failOutbox<T extends Pick<Loaded, 'id' | 'channel'>>(
  deps: Deps,
  loaded: T,
  failure: string,
  { linesOnly = false } = {},
): Promise<T> {
  const draft = new Draft(deps.store)
  let { channel } = loaded
  for (const { key, record } of await deps.store.list('outbox', { of: loaded.id })) {
    if (record.line === undefined && linesOnly) continue
    draft.delete('outbox', key)
    if (record.line === undefined) continue
    const line = await draft.get('lines', [loaded.id, record.line.order])
    if (line?.kind !== 'text') continue
    draft.put('lines', [loaded.id, record.line.order], { ...line, state: 'failed', failure })
    if (channel.lastMessageId !== undefined && equalBytes(channel.lastMessageId, line.messageId)) {
      channel = { ...channel, lastState: 'failed' }
    }
  }
  draft.put('channels', loaded.id, channel)
  await draft.commit()
  return { ...loaded, channel }
}
