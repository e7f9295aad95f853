import { toUtf8 } from '../bytes/utf8.ts'
import { WireError } from '../errors.ts'
import { decodeCbor, encodeCbor } from '../wire/cbor.ts'
import { MESSAGE_ID_BYTES, type MessageId } from '../wire/ids.ts'
import { MAX_TEXT_BYTES } from '../wire/limits.ts'
import { place } from '../wire/operations.ts'
import { fixed, list, object, oneOf, optional, type TypeOf, text, uint } from '../wire/schema.ts'

/**
 * Body: what an MLS application message says (docs/spec/message.md). A CBOR map, so that later kinds can be told apart
 * and shown as 'needs a newer Stave' instead of being dropped.
 */
const common = {
  v: uint(255),
  id: fixed<MessageId>(MESSAGE_ID_BYTES),
  atMs: uint(),
  /** The place in the channel that the author had applied: members compare it with their own chain (C-06). */
  seen: optional(place),
}

const textBody = object({ ...common, kind: oneOf('text'), text: text(MAX_TEXT_BYTES) })
const receiptBody = object({
  ...common,
  kind: oneOf('receipt'),
  delivered: list(fixed<MessageId>(MESSAGE_ID_BYTES), 256),
})

export type TextBody = TypeOf<typeof textBody>
export type ReceiptBody = TypeOf<typeof receiptBody>
export type Body = TextBody | ReceiptBody

export const BODY_VERSION = 1
export const MAX_RECEIPTS = 256
const MAX_BODY_BYTES = MAX_TEXT_BYTES + 1024

export function encodeBody(body: Body): Uint8Array {
  if (body.kind === 'text' && toUtf8(body.text).length > MAX_TEXT_BYTES) throw new WireError('body/too-long')
  return encodeCbor(body)
}

/** @throws WireError 'body/newer' for a version or kind that this one doesn't know; 'body/…' or 'schema/…' otherwise */
export function decodeBody(bytes: Uint8Array): Body {
  const value = decodeCbor(bytes, MAX_BODY_BYTES)
  if (typeof value !== 'object' || value === null) throw new WireError('body/shape')
  const { v, kind } = value as { v?: unknown; kind?: unknown }
  if (v !== BODY_VERSION) throw new WireError('body/newer')
  switch (kind) {
    case 'text': {
      const body = textBody.check(value)
      if (toUtf8(body.text).length > MAX_TEXT_BYTES) throw new WireError('body/too-long')
      return body
    }
    case 'receipt':
      return receiptBody.check(value)
    default:
      throw new WireError('body/newer')
  }
}
