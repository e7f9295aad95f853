import { concatBytes } from '../bytes/concat.ts'
import { sha256 } from '../crypto/hash.ts'
import { labels } from '../crypto/labels.ts'
import type { AccountId, Address, MessageId } from '../wire/ids.ts'
import { stampAt } from './stamp.ts'

/** The channel of notes to oneself (L-02): it is at no relay, so its address stands in deltas alone. */
export function notesAddress(account: AccountId): Address {
  return sha256(concatBytes(labels.notes, account)) as Address
}

/** There is no relay to order notes: by time, and within a millisecond by twelve bits of the id. The same on every device. */
export function noteOrder(atMs: number, messageId: MessageId): number {
  const [high = 0, low = 0] = sha256(concatBytes(labels.notes, messageId))
  return stampAt(atMs) + ((high << 4) | (low >> 4))
}
