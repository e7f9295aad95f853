import { equalBytes } from '../bytes/equal.ts'
import { nextLogHead } from '../channel/log-chain.ts'
import { CryptoError } from '../errors.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { Address, Head } from '../wire/ids.ts'
import type { LogRow, Place } from '../wire/operations.ts'
import type { Covers } from './entry.ts'

/** Rows that are not there any more: pages must stand for them (LGE4). */
export type Gap = { readonly from: number; readonly to: number; readonly before: Head; readonly after: Head }
export type Followed = { readonly place: Place; readonly gaps: readonly Gap[] }

/**
 * Follows a log's chain over rows in ascending order (LGE3). To walk back, start where the oldest row says that it follows, and compare
 * the place this returns with the one that is known.
 * @param ends where generations of the ring were closed: the chain must lead through them (KRG3)
 * @throws CryptoError 'log/chain': the relay tells another story than before
 */
export function followLog(from: Place, rows: readonly LogRow[], ends: readonly Place[]): Followed {
  const gaps: Gap[] = []
  let place = from
  for (const { position, before, bytes } of rows) {
    if (position <= place.position) throw new CryptoError('log/chain')
    const last = { position: position - 1, head: before }
    if (last.position > place.position) {
      gaps.push({ from: place.position + 1, to: last.position, before: place.head, after: before })
    } else if (!equalBytes(place.head, before)) {
      throw new CryptoError('log/chain')
    }
    leadsThrough(last, ends)
    place = { position, head: nextLogHead(before, position, bytes) }
    leadsThrough(place, ends)
  }
  return { place, gaps }
}

/** Where the ring says that generations ended in the log at this address. */
export function endsOf({ generations }: KeyRing, address: Address): Place[] {
  return generations.flatMap(({ closes }) =>
    closes !== undefined && equalBytes(closes.address, address)
      ? [{ position: closes.position, head: closes.head }]
      : [],
  )
}

/** LGE4: what this page does not stand for of the gap; all of it, if their ends meet on another chain. */
export function leftOf(gap: Gap, { from, to, before, after }: Covers): readonly Gap[] {
  if (to < gap.from || from > gap.to) return [gap]
  if (from === gap.from && !equalBytes(before, gap.before)) return [gap]
  if (to === gap.to && !equalBytes(after, gap.after)) return [gap]
  const earlier = from > gap.from ? [{ ...gap, to: from - 1, after: before }] : []
  const later = to < gap.to ? [{ ...gap, from: to + 1, before: after }] : []
  return [...earlier, ...later]
}

function leadsThrough(place: Place, ends: readonly Place[]): void {
  for (const { position, head } of ends) {
    if (position === place.position && !equalBytes(head, place.head)) throw new CryptoError('log/chain')
  }
}
