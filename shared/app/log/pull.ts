import { equalBytes } from '#core/bytes/equal.ts'
import { CryptoError } from '#core/errors.ts'
import { newest } from '#core/keys/key-ring.ts'
import type { Covers } from '#core/log/entry.ts'
import { endsOf, followLog, leftOf } from '#core/log/follow.ts'
import type { LogRow } from '#core/wire/operations.ts'
import type { Deps } from '../deps.ts'
import type { LogRecord, RestoreRecord } from '../ports/records.ts'
import { applyDeltas } from './apply-deltas.ts'
import { tidyBlockIds } from './block-ids.ts'
import type { Hands } from './in-turns.ts'
import { coveredBy, type OpenedRow, openRow } from './open-row.ts'
import type { OwnLog } from './own-log.ts'
import { isWhole, putRestore, withPage } from './restore-place.ts'
import { readRestore } from './restore-work.ts'
import type { LogNews } from './sync-log.ts'
import { withoutRows, withRow } from './vanishing-places.ts'

/** What faces show of an entry besides its channels. */
const SHOWN = [
  ['contact', 'people'],
  ['device', 'devices'],
  ['settings', 'settings'],
  ['profile', 'account'],
] as const

/**
 * Takes what others appended, entry by entry, each with its effect in one transaction (L-01). What is applied is on the
 * chain that this device knows; a relay that tells another story is not followed (LGE3, L-04).
 * @throws CryptoError 'log/chain', 'log/gap'; RelayError 'log/behind'; StateError as openRow does
 */
export async function pullLog(deps: Deps, hands: Hands, before: OwnLog, news: LogNews): Promise<OwnLog> {
  const { address, ring } = before
  const token = newest(ring).logToken
  let own = before
  for (;;) {
    const { entries, last, more } = await deps.relay.call('log.fetch', { address, token, after: own.record.position })
    for (const row of entries) {
      const opened = await openRow(own, row)
      const record = passed(own, row, opened)
      const restore = await restoreWith(deps, coveredBy(opened))
      const applied = await applyDeltas(
        deps,
        hands,
        own,
        { position: row.position },
        opened?.told ?? [],
        (draft, { lines, lastStamp }) => {
          draft.put('meta', 'log', { ...record, lastStamp })
          if (restore !== undefined) putRestore(draft, { ...restore, done: restore.done + lines })
        },
      )
      if (restore !== undefined) deps.changes.announce({ what: 'work' })
      if (restore !== undefined && isWhole(restore)) await tidyBlockIds(deps.store)
      own = { ...own, record: { ...record, lastStamp: applied.lastStamp } }
      for (const [kind, what] of SHOWN)
        if (opened?.told.some(({ delta }) => delta.kind === kind)) deps.changes.announce({ what })
      for (const id of applied.channels) news.channels.add(id)
      news.newDevice ||= applied.newDevice
    }
    const { position, head } = own.record
    if (position === last.position && !equalBytes(head, last.head)) throw new CryptoError('log/chain')
    if (!more || entries.length === 0) break
  }
  // LGE4: what was taken away is stood for, or the relay keeps something back.
  if ((own.record.gaps ?? []).length > 0) throw new CryptoError('log/gap')
  return own
}

/** The log's record once this row is applied. */
function passed({ record, ring, address }: OwnLog, row: LogRow, opened: OpenedRow | undefined): LogRecord {
  const { place, gaps } = followLog(record, [row], endsOf(ring, address))
  const covers = coveredBy(opened)
  const all = [...(record.gaps ?? []), ...gaps]
  const open = covers === undefined ? all : all.flatMap((gap) => leftOf(gap, covers))
  return {
    ...record,
    ...place,
    gaps: open.length === 0 ? undefined : open,
    singles: covers === undefined ? record.singles + 1 : Math.min(record.singles, row.position - 1 - covers.to),
    vanishing:
      covers === undefined
        ? withRow(record.vanishing, row.position, opened?.told ?? [])
        : withoutRows(record.vanishing, covers),
    ...(opened === undefined ? { refused: (record.refused ?? 0) + 1 } : {}),
  }
}

/** How far a restore is with this page: it stands for what was not read yet, and is not there any more. */
async function restoreWith({ store }: Deps, covers: Covers | undefined): Promise<RestoreRecord | undefined> {
  const record = covers && (await readRestore(store))
  return record && withPage(record, covers)
}
