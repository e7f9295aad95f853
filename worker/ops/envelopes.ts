import { equalBytes } from '#core/bytes/equal.ts'
import { isBucket } from '#core/padding/buckets.ts'
import { decodeEnvelope } from '#core/wire/envelope.ts'
import type { Address } from '#core/wire/ids.ts'
import { ADDRESS_BYTES } from '#core/wire/ids.ts'
import { type Answer, refuse } from '../answer.ts'

/** Where welcomes are addressed to: what a mailbox stores names no channel (T-06). */
export const NO_ADDRESS = new Uint8Array(ADDRESS_BYTES) as Address

/** ENV3, ENV4. @throws WireError when one is not an envelope at all */
export function refuseEnvelopes(envelopes: readonly Uint8Array[], to: Address): Answer<never> | undefined {
  for (const envelope of envelopes) {
    if (!isBucket(envelope.length)) return refuse('envelope/size')
    if (!equalBytes(decodeEnvelope(envelope).to, to)) return refuse('envelope/address')
  }
  return undefined
}
