import { equalBytes } from '#core/bytes/equal.ts'
import type { Dated, Delta } from '#core/log/delta.ts'
import { mergeDeltas } from '#core/log/merge.ts'
import { nextStamp } from '#core/log/stamp.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import type { LoggedRecord } from '../ports/records.ts'
import type { RowKey } from '../ports/store.ts'
import { bookHash } from './note-books.ts'
import type { OwnLog } from './own-log.ts'

/** What applying needs to know besides the deltas. Stamps that it gives are told to the log's record afterwards. */
export type Applying = {
  readonly deps: Deps
  readonly draft: Draft
  readonly own: OwnLog
  readonly position: number // of the entry that is applied
  readonly isOldPage?: boolean // it stands for entries, and is read on the way back
  lastStamp: number
}

/**
 * Merges what the log says with what the store has (MRG1).
 * @returns what holds from now on
 */
export async function settleBook<D extends Delta>(
  applying: Applying,
  key: RowKey,
  local: D | undefined,
  remote: Dated<D>,
): Promise<D> {
  const { draft, position } = applying
  const logged = await draft.get('logged', key)
  const mine = local === undefined ? undefined : dated(applying, local, logged)
  const merged = mine === undefined ? remote : mergeDeltas(mine.said, remote)
  const hash = bookHash(merged.delta)
  // Where both are in the log, every device comes to the same; else the log is to hear it, with the stamp that it has.
  const isTold = mine === undefined || mine.isTold || equalBytes(hash, bookHash(remote.delta))
  const told = isTold ? { position: Math.max(position, logged?.position ?? 0) } : {}
  draft.put('logged', key, { stamp: merged.delta.at, by: merged.by, hash, ...told })
  return merged.delta as D
}

/** What was changed and not noted yet is as new as can be: whoever changed it meant it now. */
function dated(
  applying: Applying,
  local: Delta,
  logged: LoggedRecord | undefined,
): { readonly said: Dated; readonly isTold: boolean } {
  if (logged !== undefined && equalBytes(logged.hash, bookHash(local))) {
    const said = { by: logged.by, delta: { ...local, at: logged.stamp } }
    return { said, isTold: logged.position !== undefined }
  }
  applying.lastStamp = nextStamp(applying.lastStamp, applying.deps.clock.now())
  const said = { by: applying.own.device.deviceId, delta: { ...local, at: applying.lastStamp } }
  return { said, isTold: false }
}
