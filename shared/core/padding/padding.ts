import { Writer } from '../bytes/writer.ts'
import { UsageError, WireError } from '../errors.ts'
import { bucketFor } from './buckets.ts'

/**
 * Padded content, before it is sealed:
 *
 *    4B  content length, big-endian
 *    nB  content
 *    mB  zeros
 */
export const PADDING_HEADER_BYTES = 4
const MAX_CONTENT_BYTES = 0xffffffff

/** @param overheadBytes what sealing and the envelope add around the result, so that the whole fills a bucket */
export function pad(content: Uint8Array, overheadBytes: number): Uint8Array {
  if (content.length > MAX_CONTENT_BYTES) throw new UsageError('padding/length')
  const used = overheadBytes + PADDING_HEADER_BYTES + content.length
  const fill = new Uint8Array(bucketFor(used) - used)
  return new Writer().block(content).raw(fill).done()
}

/**
 * PAD2: a length past the end is refused; PAD3: so is any byte of the fill that is not zero, so content has one padded
 * form for each size.
 */
export function unpad(bytes: Uint8Array): Uint8Array {
  if (bytes.length < PADDING_HEADER_BYTES) throw new WireError('padding/short')
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(0)
  const end = PADDING_HEADER_BYTES + length
  if (end > bytes.length) throw new WireError('padding/length')
  let fill = 0
  for (let i = end; i < bytes.length; i++) fill |= bytes[i] ?? 0
  if (fill !== 0) throw new WireError('padding/fill')
  return bytes.slice(PADDING_HEADER_BYTES, end)
}
