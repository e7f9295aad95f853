import { equalBytes } from '#core/bytes/equal.ts'
import { CryptoError } from '#core/errors.ts'
import { newest } from '#core/keys/key-ring.ts'
import { endsOf, followLog } from '#core/log/follow.ts'
import type { LogRow } from '#core/wire/operations.ts'
import type { Deps } from '../deps.ts'
import type { RestoreRecord } from '../ports/records.ts'
import { applyDeltas } from './apply-deltas.ts'
import { tidyBlockIds } from './block-ids.ts'
import type { Hands } from './in-turns.ts'
import { coveredBy, type OpenedRow, openRow } from './open-row.ts'
import type { OwnLog } from './own-log.ts'
import { isWhole, putRestore, withPage } from './restore-place.ts'
import { readRestore } from './restore-work.ts'
import { withRow } from './vanishing-places.ts'

/** So much of one answer is applied before whatever else waits for the log has its turn. */
const APPLIED_AT_ONCE = 16

/**
 * Reads on in the log, from its end to its beginning (K-03): each entry with its effect and how far this device is in one
 * transaction, so that a crash goes on where it stopped. Runs in the turn 'log'.
 * @param shown is told which channels have something new
 * @returns 'behind' where something is not there any more: what stands for it may be past the place up to which this device has
 *   pulled, and comes first
 */
export async function restoreHistory(
  deps: Deps,
  hands: Hands,
  before: OwnLog,
  shown: (channelIds: ReadonlySet<string>) => Promise<void>,
): Promise<'more' | 'done' | 'behind'> {
  let record = await readRestore(deps.store)
  if (record === undefined || record.stopped || isWhole(record)) return 'done'
  let own = before
  const { address, ring } = own
  const from = { address, token: newest(ring).logToken, before: record.before }
  const { entries, last } = await deps.relay.call('log.back', from)
  const isBehind = last.position > own.record.position
  if (entries.length === 0) {
    if (isBehind) return 'behind'
    await deps.store.write([{ put: 'meta', key: 'restore', record: { ...record, missing: true, stopped: true } }])
    return 'done'
  }
  for (const row of entries.slice(0, APPLIED_AT_ONCE)) {
    const opened = await openRow(own, row)
    const next: RestoreRecord = passed(own, record, row, opened)
    let { done } = next
    if (isBehind && next.missing && !record.missing) return 'behind'
    const isPage = coveredBy(opened) !== undefined
    const told = opened?.told ?? []
    const vanishing = isPage ? own.record.vanishing : withRow(own.record.vanishing, row.position, told)
    const applied = await applyDeltas(
      deps,
      hands,
      own,
      { position: row.position, isOldPage: isPage },
      told,
      (draft, { lines, lastStamp }) => {
        done += lines
        draft.put('meta', 'log', { ...own.record, lastStamp, vanishing })
        putRestore(draft, { ...next, done })
      },
    )
    record = { ...next, done }
    own = { ...own, record: { ...own.record, lastStamp: applied.lastStamp, vanishing } }
    await shown(applied.channels)
    if (isWhole(record)) {
      await tidyBlockIds(deps.store)
      return 'done'
    }
  }
  return 'more'
}

/** One row further back. What does not lead to where this device was (LGE3), or is stood for by nothing (LGE4), is missed. */
function passed(
  { ring, address }: OwnLog,
  record: RestoreRecord,
  row: LogRow,
  opened: OpenedRow | undefined,
): RestoreRecord {
  const { position, before: head } = row
  const { place } = followLog({ position: position - 1, head }, [row], endsOf(ring, address))
  if (position >= record.before) throw new CryptoError('log/chain')
  const leadsOn = place.position === record.before - 1 && equalBytes(place.head, record.head)
  return withPage({ ...record, before: position, head, ...(leadsOn ? {} : { missing: true }) }, coveredBy(opened))
}
