import { WireError } from '../errors.ts'
import { decodeCbor, encodeCbor } from '../wire/cbor.ts'
import { DEVICE_BYTES, type DeviceId, HASH_BYTES, type Head } from '../wire/ids.ts'
import { MAX_LOG_ENTRY_BYTES } from '../wire/limits.ts'
import { bytes, fixed, list, object, type TypeOf, uint } from '../wire/schema.ts'
import { delta } from './delta.ts'

/**
 * Entry: what a device appends to the log at once (docs/spec/log.md). Either deltas, or a page: what the entries of a range came
 * to, compressed (page.ts), in whose place it stands.
 */
export const MAX_DELTAS = 512
export const ENTRY_VERSION = 1
/** A page's compressed bytes; what seals and pads it fits beside them. */
export const MAX_PAGE_BYTES = 448 * 1024

const head = fixed<Head>(HASH_BYTES)
const common = { v: uint(255), by: fixed<DeviceId>(DEVICE_BYTES) }
/** Positions `from` to `to`, both included, and the chain's heads before and after them. */
const covers = object({ from: uint(), to: uint(), before: head, after: head })
const deltasEntry = object({ ...common, deltas: list(delta, MAX_DELTAS) })
const pageEntry = object({ ...common, page: bytes(MAX_PAGE_BYTES), covers })

export type Covers = TypeOf<typeof covers>
export type DeltasEntry = TypeOf<typeof deltasEntry>
export type PageEntry = TypeOf<typeof pageEntry>
export type Entry = DeltasEntry | PageEntry

export function encodeEntry(entry: Entry): Uint8Array {
  return encodeCbor(entry)
}

/** @throws WireError 'log/newer' for a version or a kind of delta that this one doesn't know; 'log/…' or 'schema/…' otherwise */
export function decodeEntry(encoded: Uint8Array): Entry {
  const value = decodeCbor(encoded, MAX_LOG_ENTRY_BYTES)
  if (typeof value !== 'object' || value === null || !('v' in value)) throw new WireError('log/shape')
  if (value.v !== ENTRY_VERSION) throw new WireError('log/newer')
  if (!('page' in value)) return deltasEntry.check(value)
  const entry = pageEntry.check(value)
  if (entry.covers.from < 1 || entry.covers.to < entry.covers.from) throw new WireError('log/covers')
  return entry
}
