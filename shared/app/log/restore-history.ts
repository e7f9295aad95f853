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
import { type OpenedRow, openRow } from './open-row.ts'
import type { OwnLog } from './own-log.ts'
import { readRestore } from './restore-work.ts'
import { withRow } from './vanishing-places.ts'

/** So much of one answer is applied before whatever else waits for the log has its turn. */
const APPLIED_AT_ONCE = 16

/**
 * Reads on in the log, from its end to its beginning (K-03): each entry with its effect and how far this device is in one
 * transaction, so that a crash goes on where it stopped. Runs in the turn 'log'.
 * @param shown is told which channels have something new
 */
export async function restoreHistory(
  deps: Deps,
  hands: Hands,
  before: OwnLog,
  shown: (channelIds: ReadonlySet<string>) => Promise<void>,
): Promise<'more' | 'done'> {
  let record = await readRestore(deps.store)
  if (record === undefined || record.stopped || isWhole(record)) return 'done'
  let own = before
  const { address, ring } = own
  const from = { address, token: newest(ring).logToken, before: record.before }
  const { entries } = await deps.relay.call('log.back', from)
  if (entries.length === 0) {
    await deps.store.write([{ put: 'meta', key: 'restore', record: { ...record, missing: true, stopped: true } }])
    return 'done'
  }
  for (const row of entries.slice(0, APPLIED_AT_ONCE)) {
    const opened = await openRow(own, row)
    const next: RestoreRecord = passed(own, record, row, opened)
    let { done } = next
    const isPage = opened !== undefined && 'page' in opened.entry
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
        if (isWhole(next) && !next.missing) draft.delete('meta', 'restore')
        else draft.put('meta', 'restore', { ...next, done })
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

function isWhole({ before }: RestoreRecord): boolean {
  return before <= 1
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
  const page = opened !== undefined && 'page' in opened.entry ? [opened.entry.covers] : []
  const covers = [...(record.covers ?? []), ...page]
  return beforePages({ ...record, before: position, head, covers, ...(leadsOn ? {} : { missing: true as const }) })
}

/** What lies in front is in a page, or in several that meet. */
function beforePages(record: RestoreRecord): RestoreRecord {
  const { before, head } = record
  const covers = (record.covers ?? []).filter(({ from }) => from < before)
  const one = covers.find(({ to }) => to === before - 1)
  if (one === undefined) return { ...record, covers }
  const fits = equalBytes(one.after, head) ? {} : { missing: true as const }
  return beforePages({ ...record, before: one.from, head: one.before, covers, ...fits })
}
