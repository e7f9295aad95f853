import { newest } from '#core/keys/key-ring.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { historyFrom } from './begin-history.ts'
import { PUSHED, waitingKey } from './note-line.ts'
import type { OwnLog } from './own-log.ts'

/**
 * The relay's log is an older copy, or goes on from one. Nothing that this device has goes back (L-04): it reads the log
 * again from its end, and appends again what it had appended past the place up to which both agree at best.
 */
export async function rewindLog(deps: Deps, own: OwnLog): Promise<OwnLog> {
  const { address, ring } = own
  const { last } = await deps.relay.call('log.back', { address, token: newest(ring).logToken, before: 0 })
  const agreed = last.position < own.record.position ? last.position : 0
  const draft = new Draft(deps.store)
  for (const { key, record } of await deps.store.list('deltas', { of: PUSHED, after: agreed })) {
    draft.delete('deltas', key)
    for (const line of record.lines) draft.put('deltas', waitingKey(line.channelId, line.order), { lines: [line] })
  }
  for (const { key, record } of await deps.store.list('logged')) {
    if (record.position === undefined || record.position <= agreed) continue
    const { position: _, ...waiting } = record
    draft.put('logged', key, waiting)
  }
  const record = { ...own.record, ...last, gaps: undefined, singles: 0, vanishing: undefined }
  draft.put('meta', 'log', record)
  draft.put('meta', 'restore', historyFrom(last))
  await draft.commit()
  return { ...own, record }
}
