import { newest } from '#core/keys/key-ring.ts'
import type { LogRow } from '#core/wire/operations.ts'
import type { Deps } from '../deps.ts'
import { coveredBy, openRow } from './open-row.ts'
import type { OwnLog } from './own-log.ts'
import type { OpenedRow } from './stretch.ts'

/** Rows, oldest first, and up to where the log is not known, but for what the pages among them stand for. */
export type SomeRows = { readonly rows: readonly OpenedRow[]; readonly end: number }

/** From the end back to where pages stand for all that was before. */
export async function readBack(deps: Deps, own: OwnLog): Promise<SomeRows> {
  const { address, ring } = own
  const token = newest(ring).logToken
  const rows: OpenedRow[] = []
  let before = own.record.position + 1
  let end = 0
  while (before > end + 1) {
    const { entries } = await deps.relay.call('log.back', { address, token, before })
    if (entries.length === 0) break
    for (const row of entries) {
      before = row.position
      if (row.position <= end) break
      const opened = await openedRow(own, row)
      rows.push(opened)
      end = Math.max(end, opened.covers?.to ?? 0)
    }
  }
  return { rows: rows.reverse(), end }
}

/** From this place on, as many as come at once. */
export async function readFrom(deps: Deps, own: OwnLog, from: number): Promise<SomeRows & { readonly more: boolean }> {
  const { address, ring } = own
  const end = from - 1
  const { entries, more } = await deps.relay.call('log.fetch', { address, token: newest(ring).logToken, after: end })
  const rows: OpenedRow[] = []
  for (const row of entries) if (row.position <= own.record.position) rows.push(await openedRow(own, row))
  return { rows, end, more }
}

async function openedRow(own: OwnLog, row: LogRow): Promise<OpenedRow> {
  const opened = await openRow(own, row)
  return { row, told: opened?.told ?? [], covers: coveredBy(opened) }
}
