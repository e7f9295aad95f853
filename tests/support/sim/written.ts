import type { RawChange } from '#store/rows.ts'

/** What is kept of the account's log, of people and of the directory is written when it comes to it, whatever happens in a channel. */
const APART: ReadonlySet<string> = new Set(['meta', 'deltas', 'logged', 'contacts', 'views'])

/** Bytes that channels, messages and what they are made of take of a write. */
export function writtenBytes(changes: readonly RawChange[]): number {
  return changes.reduce((sum, change) => sum + ('put' in change && !APART.has(change.put) ? change.value.length : 0), 0)
}
