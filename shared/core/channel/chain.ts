import { Writer } from '../bytes/writer.ts'
import { sha256 } from '../crypto/hash.ts'
import { labels } from '../crypto/labels.ts'
import type { Address, Head } from '../wire/ids.ts'
import type { Ordered } from '../wire/operations.ts'
import { seatChangesBytes } from '../wire/seats.ts'

/**
 * A channel's hash chain (docs/spec/channel.md, CHN3): relay and members compute it alike, so a relay that was restored
 * or that tells two stories is seen (R-03, C-06).
 */
export function firstHead(address: Address): Head {
  return sha256(new Writer().raw(labels.channelHead).raw(address).done()) as Head
}

export function nextHead(before: Head, item: Ordered): Head {
  const seats = item.seats === undefined ? new Uint8Array() : seatChangesBytes(item.seats)
  return sha256(
    new Writer()
      .raw(labels.channelHead)
      .raw(before)
      .u64(item.position)
      .u64(item.commits)
      .u8(item.commit ? 1 : 0)
      .raw(item.id)
      .block(seats)
      .block(item.envelope)
      .done(),
  ) as Head
}
