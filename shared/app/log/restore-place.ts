import { equalBytes } from '#core/bytes/equal.ts'
import type { Covers } from '#core/log/entry.ts'
import type { Draft } from '../draft.ts'
import type { RestoreRecord } from '../ports/records.ts'

export function isWhole({ before }: RestoreRecord): boolean {
  return before <= 1
}

/** Gone when all of it is here. */
export function putRestore(draft: Draft, record: RestoreRecord): void {
  if (isWhole(record) && !record.missing) draft.delete('meta', 'restore')
  else draft.put('meta', 'restore', record)
}

/** What lies in front of where the reading is, is in a page, or in several that meet (LGE4). */
export function withPage(record: RestoreRecord, page?: Covers): RestoreRecord {
  const { before, head } = record
  const covers = [...(record.covers ?? []), ...(page ? [page] : [])].filter(({ from }) => from < before)
  const one = covers.find(({ to }) => to >= before - 1)
  if (one === undefined) return { ...record, covers }
  // A page that was made meanwhile stands for rows as well that were read before: there no ends meet.
  const fits = one.to >= before || equalBytes(one.after, head) ? {} : { missing: true as const }
  return withPage({ ...record, before: one.from, head: one.before, covers, ...fits })
}
