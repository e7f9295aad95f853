import { encodeCbor } from '../wire/cbor.ts'
import type { DeviceId } from '../wire/ids.ts'
import type { Delta } from './delta.ts'
import { type DeltasEntry, ENTRY_VERSION, MAX_DELTAS } from './entry.ts'

/** Of one entry; a single delta may be as large as a text or a manifest. */
const MAX_PACKED_BYTES = 128 * 1024

/** Deltas in as few entries as hold them, in their order. */
export function packDeltas(by: DeviceId, deltas: readonly Delta[]): DeltasEntry[] {
  return parted(deltas).map((packed) => ({ v: ENTRY_VERSION, by, deltas: packed }))
}

export function parted(deltas: readonly Delta[]): Delta[][] {
  const entries: Delta[][] = []
  let bytes = 0
  for (const delta of deltas) {
    const length = encodeCbor(delta).length
    const last = entries.at(-1)
    if (last === undefined || last.length >= MAX_DELTAS || bytes + length > MAX_PACKED_BYTES) {
      entries.push([delta])
      bytes = length
    } else {
      last.push(delta)
      bytes += length
    }
  }
  return entries
}
