import { Reader } from '../bytes/reader.ts'
import { Writer } from '../bytes/writer.ts'
import { WireError } from '../errors.ts'
import { ADDRESS_BYTES, type Address } from './ids.ts'
import { MAX_ENVELOPE_BYTES } from './limits.ts'
import { ENVELOPE_VERSION } from './versions.ts'

/**
 * Envelope: what the relay stores and forwards (docs/spec/envelope.md).
 *
 *    1B  version (0x01)
 *   32B  address: a channel or a mailbox
 *    4B  body length, big-endian
 *    nB  body: padded until the envelope fills a bucket (T-02), then sealed
 *
 * There is no kind byte: a text, a receipt and a commit are the same to whoever reads the bytes.
 */
export type Envelope = { readonly to: Address; readonly body: Uint8Array }

export const ENVELOPE_OVERHEAD_BYTES = 1 + ADDRESS_BYTES + 4

export function encodeEnvelope({ to, body }: Envelope): Uint8Array {
  return new Writer().u8(ENVELOPE_VERSION).raw(to).block(body).done()
}

export function decodeEnvelope(bytes: Uint8Array): Envelope {
  const r = new Reader(bytes, MAX_ENVELOPE_BYTES) // ENV1: bounded before it is parsed
  if (r.u8() !== ENVELOPE_VERSION) throw new WireError('envelope/version')
  const to = r.take(ADDRESS_BYTES) as Address
  const body = r.block(MAX_ENVELOPE_BYTES)
  r.end() // ENV2: trailing bytes are an error, so an envelope has exactly one encoding
  return { to, body }
}
