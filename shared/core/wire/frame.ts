import { Writer } from '../bytes/writer.ts'
import { WireError } from '../errors.ts'
import { MAX_FRAME_BYTES, MAX_MESSAGE_BYTES } from './limits.ts'

/**
 * Frame: the plaintext of one Noise transport message (docs/spec/frame.md).
 *
 *    1B  kind: 0 cover, 1 last (or only) piece of a message, 2 a piece with more to come
 *    4B  content length, big-endian
 *    nB  content
 *    mB  zeros, until the sealed frame fills a bucket (T-02)
 *
 * Pieces of one message follow each other without another message's between them; cover may come anywhere.
 */
export type Frame =
  | { readonly kind: 'cover'; readonly content: Uint8Array }
  | { readonly kind: 'last' | 'more'; readonly content: Uint8Array }

const KINDS = ['cover', 'last', 'more'] as const
export const FRAME_HEADER_BYTES = 5
export const NOISE_TAG_BYTES = 16
const MIN_FRAME_BYTES = 256

/** The most content that a frame of the largest bucket holds. */
export const MAX_PIECE_BYTES = MAX_FRAME_BYTES - NOISE_TAG_BYTES - FRAME_HEADER_BYTES

/** Bytes of the sealed frame that holds `contentLength` bytes: a bucket. */
export function frameBytesFor(contentLength: number): number {
  let bucket = MIN_FRAME_BYTES
  while (bucket < contentLength + FRAME_HEADER_BYTES + NOISE_TAG_BYTES) bucket *= 2
  return bucket
}

/** @param sealedBytes the bucket that the frame fills once the Noise tag is on it */
export function encodeFrame(frame: Frame, sealedBytes = frameBytesFor(frame.content.length)): Uint8Array {
  const kind = KINDS.indexOf(frame.kind)
  const used = FRAME_HEADER_BYTES + frame.content.length
  const room = sealedBytes - NOISE_TAG_BYTES
  if (used > room || sealedBytes > MAX_FRAME_BYTES) throw new WireError('frame/too-large')
  return new Writer()
    .u8(kind)
    .block(frame.content)
    .raw(new Uint8Array(room - used))
    .done()
}

/** FRM1: a length that is not a bucket's is refused; FRM2: so is any padding byte that is not zero. */
export function decodeFrame(bytes: Uint8Array): Frame {
  const sealed = bytes.length + NOISE_TAG_BYTES
  if (sealed > MAX_FRAME_BYTES) throw new WireError('frame/too-large')
  if (sealed < MIN_FRAME_BYTES || (sealed & (sealed - 1)) !== 0) throw new WireError('frame/not-a-bucket')
  const kind = KINDS[bytes[0] ?? 255]
  if (kind === undefined) throw new WireError('frame/kind')
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(1)
  const end = FRAME_HEADER_BYTES + length
  if (end > bytes.length) throw new WireError('frame/length')
  let fill = 0
  for (let i = end; i < bytes.length; i++) fill |= bytes[i] ?? 0
  if (fill !== 0) throw new WireError('frame/padding')
  return { kind, content: bytes.slice(FRAME_HEADER_BYTES, end) }
}

/** A message as the frames that carry it, in order. */
export function framesOf(message: Uint8Array): Frame[] {
  if (message.length > MAX_MESSAGE_BYTES) throw new WireError('message/too-large')
  const frames: Frame[] = []
  let at = 0
  do {
    const content = message.subarray(at, at + MAX_PIECE_BYTES)
    at += content.length
    frames.push({ kind: at < message.length ? 'more' : 'last', content })
  } while (at < message.length)
  return frames
}

/** Joins the pieces of messages; holds at most one unfinished message, and that within bounds. */
export class Joiner {
  #pieces: Uint8Array[] = []
  #length = 0

  get pending(): boolean {
    return this.#pieces.length > 0
  }

  /** @returns the whole message when `frame` was its last piece */
  push(frame: Frame): Uint8Array | undefined {
    if (frame.kind === 'cover') return undefined
    this.#length += frame.content.length
    if (this.#length > MAX_MESSAGE_BYTES) throw new WireError('message/too-large')
    this.#pieces.push(frame.content)
    if (frame.kind === 'more') return undefined
    const message = new Writer()
    for (const piece of this.#pieces) message.raw(piece)
    this.#pieces = []
    this.#length = 0
    return message.done()
  }
}
