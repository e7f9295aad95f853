import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeFrame, encodeFrame, frameBytesFor, framesOf, Joiner, MAX_PIECE_BYTES } from '#core/wire/frame.ts'
import { MAX_FRAME_BYTES, MAX_MESSAGE_BYTES } from '#core/wire/limits.ts'

const BUCKETS = [256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768]

describe('frames', () => {
  it('[T-02] fills a bucket once it is sealed, whatever its content', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_PIECE_BYTES }), (length) => {
        const frame = encodeFrame({ kind: 'last', content: new Uint8Array(length) })
        expect(BUCKETS).toContain(frame.length + 16)
        expect(decodeFrame(frame).content.length).toBe(length)
      }),
    )
  })

  it('[FRM1] refuses a length that is not a bucket', () => {
    const frame = encodeFrame({ kind: 'last', content: Uint8Array.of(1, 2, 3) })
    expect(() => decodeFrame(frame.subarray(0, frame.length - 1))).toThrow('frame/not-a-bucket')
    expect(() => decodeFrame(new Uint8Array(0))).toThrow('frame/not-a-bucket')
    expect(() => decodeFrame(new Uint8Array(2 * MAX_FRAME_BYTES))).toThrow('frame/too-large')
  })

  it('[FRM2] refuses padding that says something', () => {
    const frame = encodeFrame({ kind: 'last', content: Uint8Array.of(1) })
    frame[frame.length - 1] = 1
    expect(() => decodeFrame(frame)).toThrow('frame/padding')
  })

  it('[R-06] refuses a content length beyond the frame and an unknown kind', () => {
    const frame = encodeFrame({ kind: 'last', content: new Uint8Array(8) })
    const long = frame.slice()
    long[1] = 0xff
    expect(() => decodeFrame(long)).toThrow('frame/length')
    const odd = frame.slice()
    odd[0] = 9
    expect(() => decodeFrame(odd)).toThrow('frame/kind')
  })

  it('carries a message of any length in pieces, and cover between them', () => {
    for (const length of [0, 1, MAX_PIECE_BYTES, MAX_PIECE_BYTES + 1, 3 * MAX_PIECE_BYTES + 7]) {
      const message = new Uint8Array(length).map((_, i) => i * 31)
      const joiner = new Joiner()
      let whole: Uint8Array | undefined
      for (const frame of framesOf(message)) {
        expect(joiner.push({ kind: 'cover', content: new Uint8Array() })).toBeUndefined()
        whole = joiner.push(decodeFrame(encodeFrame(frame)))
      }
      expect(whole).toEqual(message)
    }
  })

  it('[R-06] holds no more than one message, and that within bounds', () => {
    expect(() => framesOf(new Uint8Array(MAX_MESSAGE_BYTES + 1))).toThrow('message/too-large')
    const joiner = new Joiner()
    const piece = { kind: 'more', content: new Uint8Array(MAX_PIECE_BYTES) } as const
    expect(() => {
      for (let i = 0; i < MAX_MESSAGE_BYTES; i += MAX_PIECE_BYTES) joiner.push(piece)
      joiner.push(piece)
    }).toThrow('message/too-large')
  })

  it('knows the bucket of a length beforehand', () => {
    for (const length of [0, 100, 235, 236, 5000]) {
      expect(encodeFrame({ kind: 'last', content: new Uint8Array(length) }).length + 16).toBe(frameBytesFor(length))
    }
  })
})
