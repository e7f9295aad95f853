import { Writer } from '../bytes/writer.ts'
import { sha256 } from '../crypto/hash.ts'
import { labels } from '../crypto/labels.ts'
import type { Address, Head } from '../wire/ids.ts'

/** A log's hash chain (docs/spec/log.md, LOG4): relay and devices compute it alike, so that a log has one story. */
export function firstLogHead(address: Address): Head {
  return sha256(new Writer().raw(labels.logHead).raw(address).done()) as Head
}

export function nextLogHead(before: Head, position: number, bytes: Uint8Array): Head {
  return sha256(new Writer().raw(labels.logHead).raw(before).u64(position).raw(sha256(bytes)).done()) as Head
}
