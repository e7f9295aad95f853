import { nextLogHead } from '#core/channel/log-chain.ts'
import type { Dated } from '#core/log/delta.ts'
import type { Covers } from '#core/log/entry.ts'
import { parted } from '#core/log/pack.ts'
import { MAX_PAGE_DELTAS } from '#core/log/page.ts'
import { encodeCbor } from '#core/wire/cbor.ts'
import type { LogRow } from '#core/wire/operations.ts'
import { isVanishing, stillToVanish } from './carry-on.ts'

/** A page that holds so many is whole: it stays as it is. */
const WHOLE_DELTAS = 768

/** A row of the log with what it says. */
export type OpenedRow = {
  readonly row: LogRow
  readonly told: readonly Dated[]
  readonly covers: Covers | undefined // of a page
}
/** Neighbours in the log, in whose place one page may stand. */
export type Stretch = readonly OpenedRow[]
export type Room = {
  readonly books: number // that the page has besides
  readonly carriedBytes: number // of what would be appended once more
  readonly nowMs: number
}

/**
 * Parts rows into stretches. Left out is a row that is as good as a page, or too much to carry on, and a page that stands for
 * what lies in front of other rows: one in its place would take those away.
 * @param end up to where the log is not known, but for what the pages among these rows stand for
 */
export function stretchesOf(rows: readonly OpenedRow[], end: number, room: Room): readonly Stretch[] {
  const stretches: OpenedRow[][] = []
  let stretch: OpenedRow[] = []
  let [things, bytes] = [0, 0]
  const part = (): void => {
    if (stretch.length > 0) stretches.push(stretch)
    stretch = []
    things = room.books
    bytes = 0
  }
  part()
  for (const [i, one] of rows.entries()) {
    const lasting = one.told.filter((dated) => !isVanishing(dated)).length
    const carried = bytesOf(stillToVanish(one.told, room.nowMs))
    if (things + lasting > MAX_PAGE_DELTAS || bytes + carried > room.carriedBytes) part()
    const before = rows[i - stretch.length - 1]?.row.position ?? end
    if (room.books + lasting > MAX_PAGE_DELTAS || carried > room.carriedBytes || isApart(one, before)) {
      part()
      continue
    }
    stretch.push(one)
    things += lasting
    bytes += carried
  }
  part()
  return stretches
}

function isApart({ told, covers }: OpenedRow, before: number): boolean {
  if (covers === undefined) return false
  return told.length >= WHOLE_DELTAS || (covers.from <= before && covers.to < before)
}

/** How many rows fewer there are with a page in its place. */
export function gainOf(stretch: Stretch, nowMs: number): number {
  const carried = carriedOf(stretch, nowMs).map(({ delta }) => delta)
  return stretch.length - 1 - parted(carried).length
}

/** What a page must not hold, and still has time (VAN5). */
export function carriedOf(stretch: Stretch, nowMs: number): readonly Dated[] {
  return stillToVanish(
    stretch.flatMap(({ told }) => told),
    nowMs,
  )
}

export function coversOf(stretch: Stretch): Covers | undefined {
  const last = stretch.at(-1)?.row
  if (last === undefined) return undefined
  const starts = stretch.map(({ row, covers }) => covers ?? { from: row.position, before: row.before })
  const { from, before } = starts.reduce((first, one) => (one.from < first.from ? one : first))
  return { from, to: last.position, before, after: nextLogHead(last.before, last.position, last.bytes) }
}

function bytesOf(dated: readonly Dated[]): number {
  return dated.reduce((sum, { delta }) => sum + encodeCbor(delta).length, 0)
}
