import type { Line } from '#app/face.ts'

export const GROUP_SPAN_MS = 5 * 60 * 1000

export type Item =
  | { readonly kind: 'day'; readonly key: string; readonly atMs: number }
  | { readonly kind: 'unread'; readonly key: string }
  | {
      readonly kind: 'line'
      readonly key: string
      readonly line: Line
      /** Does this line begin, or end, what one author said within five minutes? */
      readonly first: boolean
      readonly last: boolean
    }

export type Arrangement = {
  /** Order of the last line that was read; the unread line stands after it. Absent: none is shown. */
  readonly unreadAfter: number | undefined
  /** Names the local day of a time. */
  readonly dayOf: (atMs: number) => string
}

/** Puts day lines, the unread line and groups into a row of lines, oldest first. */
export function arrange(lines: readonly Line[], { unreadAfter, dayOf }: Arrangement): readonly Item[] {
  const items: Item[] = []
  let day = ''
  let unreadShown = unreadAfter === undefined
  let group: { readonly author: string; readonly sinceMs: number } | undefined

  for (const line of lines) {
    const lineDay = dayOf(line.atMs)
    if (lineDay !== day) {
      day = lineDay
      items.push({ kind: 'day', key: `day ${lineDay}`, atMs: line.atMs })
      group = undefined
    }
    if (!unreadShown && unreadAfter !== undefined && line.order > unreadAfter && !line.author.mine) {
      unreadShown = true
      items.push({ kind: 'unread', key: 'unread' })
      group = undefined
    }
    const joins = line.kind === 'text' && group?.author === authorOf(line) && line.atMs - group.sinceMs < GROUP_SPAN_MS
    if (!joins) group = line.kind === 'text' ? { author: authorOf(line), sinceMs: line.atMs } : undefined
    const before = items.at(-1)
    if (joins && before?.kind === 'line') items[items.length - 1] = { ...before, last: false }
    items.push({ kind: 'line', key: line.id, line, first: !joins, last: true })
  }
  return items
}

/** One's own lines are one author's, whichever device they come from and whether they are stored yet. */
function authorOf({ author }: Line): string {
  return author.mine ? 'mine' : author.id
}

export function localDay(atMs: number): string {
  const at = new Date(atMs)
  return `${at.getFullYear()}-${at.getMonth() + 1}-${at.getDate()}`
}
