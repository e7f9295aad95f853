import { equalBytes } from '#core/bytes/equal.ts'
import type { Place, VaultRecord } from '#core/wire/operations.ts'

export type PlaceVerdict = 'next' | 'behind' | 'forked'

/** LOG3: compare and swap on the place where the log ends. Another head at its end: two stories were told. */
export function judgePlace(last: Place, after: Place): PlaceVerdict {
  if (after.position !== last.position) return 'behind'
  return equalBytes(after.head, last.head) ? 'next' : 'forked'
}

/** LOG5: only what is there, and not the entry that stands for it. */
export function isCompactable(last: Place, from: number, to: number): boolean {
  return from >= 1 && from <= to && to <= last.position
}

export type VaultVerdict = 'next' | 'same' | 'lost' | 'generation'

/** LOG2: number by number, and a generation has one token. */
export function judgeVault(there: VaultRecord, offered: VaultRecord): VaultVerdict {
  if (isSameVault(there, offered)) return 'same'
  if (offered.number !== there.number + 1) return 'lost'
  const sameToken = equalBytes(there.tokenHash, offered.tokenHash)
  const allowed = offered.generation === there.generation ? sameToken : offered.generation > there.generation
  return allowed ? 'next' : 'generation'
}

export function isSameVault(a: VaultRecord, b: VaultRecord): boolean {
  return (
    a.number === b.number &&
    a.generation === b.generation &&
    equalBytes(a.tokenHash, b.tokenHash) &&
    equalBytes(a.body, b.body)
  )
}

/** A row costs more than its bytes: many small entries must not be cheap. */
export const ENTRY_OVERHEAD_BYTES = 128

/** LOG6: what these entries take of a log's bytes. */
export function loadOf(entries: readonly { readonly bytes: Uint8Array }[]): number {
  return entries.reduce((sum, { bytes }) => sum + bytes.length + ENTRY_OVERHEAD_BYTES, 0)
}

/** LOG7: a watcher that was last renewed on this day or before is dropped. */
export const WATCH_DAYS = 30

export function watchDeadline(today: number): number {
  return today - WATCH_DAYS - 1
}
