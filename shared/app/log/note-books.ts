import { equalBytes } from '#core/bytes/equal.ts'
import type { Delta } from '#core/log/delta.ts'
import { contentHash } from '#core/log/merge.ts'
import { nextStamp } from '#core/log/stamp.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { currentBooks, OWN_DEVICE } from './current-books.ts'
import type { OwnLog } from './own-log.ts'

/**
 * Finds what changed of the bookkeeping by comparing it with what was noted last, and gives it its stamp, with or without
 * a connection: of two devices that change the same thing, the later one wins (MRG1).
 */
export async function noteBooks(deps: Deps, own: OwnLog): Promise<OwnLog> {
  const known = new Map((await deps.store.list('logged')).map(({ key, record }) => [JSON.stringify(key), record]))
  const draft = new Draft(deps.store)
  let { lastStamp } = own.record
  for (const { key, delta } of await currentBooks(deps.store, own, deps.clock.now())) {
    const hash = bookHash(delta)
    const before = known.get(JSON.stringify(key))
    if (before !== undefined && equalBytes(before.hash, hash)) continue
    lastStamp = nextStamp(lastStamp, deps.clock.now())
    draft.put('logged', key, { stamp: lastStamp, by: own.device.deviceId, hash, ...deviceOf(key, delta) })
  }
  if (draft.empty) return own
  const record = { ...own.record, lastStamp }
  draft.put('meta', 'log', record)
  await draft.commit()
  return { ...own, record }
}

/** How far the lines of a channel are in the log follows from the lines: that alone is no change to tell. */
export function bookHash(delta: Delta): Uint8Array {
  return contentHash(delta.kind === 'channel' ? { ...delta, upTo: 0 } : delta)
}

function deviceOf(key: unknown, delta: Delta) {
  if (key !== OWN_DEVICE || delta.kind !== 'device') return {}
  const { kind: _, at: __, ...device } = delta
  return { device }
}
