import { newest } from '#core/keys/key-ring.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import type { RestoreRecord } from '../ports/records.ts'
import type { OwnLog } from './own-log.ts'

/**
 * A device that has not seen the log begins at its end: what comes from here on is pulled, what was before is read newest first
 * (K-03). On a device that has, what it holds stays.
 */
export async function beginHistory(deps: Deps, own: OwnLog): Promise<OwnLog> {
  const { address, ring } = own
  const { last } = await deps.relay.call('log.back', { address, token: newest(ring).logToken, before: 0 })
  const draft = new Draft(deps.store)
  const record = { ...own.record, ...last, begun: true as const, gaps: undefined, singles: 0 }
  draft.put('meta', 'log', record)
  if (last.position > 0) draft.put('meta', 'restore', historyFrom(last))
  await draft.commit()
  return { ...own, record }
}

export function historyFrom({ position, head }: Pick<RestoreRecord, 'head'> & { position: number }): RestoreRecord {
  return { kind: 'restore', from: position, before: position + 1, head, done: 0 }
}
