import type { Line } from '#app/face.ts'

/** How many lines are read at a time, and how many are on the page at once. */
export const PAGE = 50
export const MAX_SHOWN = 300
const MAX_REREAD = 200

/**
 * Newer reading wins: `page` holds all lines from its first on, so what was held from there on is replaced; older lines
 * stay. A line whose place changed (it was waiting and is ordered now) is in the page under the same id.
 */
export function mergeNewest(held: readonly Line[], page: readonly Line[]): readonly Line[] {
  const first = page[0]
  if (first === undefined) return []
  const known = new Map(held.map((line) => [line.id, line]))
  const fresh = new Set(page.map((line) => line.id))
  return [
    ...held.filter((line) => line.order < first.order && !fresh.has(line.id)),
    ...page.map((line) => unchanged(known.get(line.id), line) ?? line),
  ]
}

/** The object held so far when nothing in it changed, so that nothing of it is drawn again. */
function unchanged(held: Line | undefined, line: Line): Line | undefined {
  return held !== undefined && JSON.stringify(held) === JSON.stringify(line) ? held : undefined
}

/** Does the page continue what is held, or may lines be missing between the two? */
export function continues(held: readonly Line[], page: readonly Line[]): boolean {
  const first = page[0]
  return first === undefined || held.some((line) => line.order >= first.order)
}

/** How many of the newest lines to read again, so that the states of one's own messages come up to date. */
export function rereadLimit(held: readonly Line[]): number {
  const firstOpen = held.findIndex((line) => line.kind === 'text' && line.author.mine && line.state !== 'delivered')
  const open = firstOpen === -1 ? 0 : held.length - firstOpen
  return Math.min(MAX_REREAD, Math.max(PAGE, open))
}

/** The newest of somebody else's lines; -1 when there is none. */
export function newestTheirs(lines: readonly Line[]): number {
  return lines.findLast((line) => !line.author.mine)?.order ?? -1
}
