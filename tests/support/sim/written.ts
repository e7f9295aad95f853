import type { RawChange } from '#store/rows.ts'

/** What the account's log keeps of itself is written when it comes to it, whatever happens in a channel. */
const OF_THE_LOG: ReadonlySet<string> = new Set(['meta', 'deltas', 'logged'])

/** Bytes that channels, messages and what they are made of take of a write. */
export function writtenBytes(changes: readonly RawChange[]): number {
  return changes.reduce(
    (sum, change) => sum + ('put' in change && !OF_THE_LOG.has(change.put) ? change.value.length : 0),
    0,
  )
}
