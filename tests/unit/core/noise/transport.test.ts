import { describe, expect, it } from 'vitest'
import { CryptoError, UsageError, WireError } from '#core/errors.ts'
import { MAX_NOISE_MESSAGE_BYTES, TAG_BYTES } from '#core/noise/messages.ts'
import { TRANSPORT_BYTES, Transport } from '#core/noise/transport.ts'

const A = new Uint8Array(32).fill(1)
const B = new Uint8Array(32).fill(2)
const text = (s: string) => new TextEncoder().encode(s)
const pair = () => [new Transport(A, B), new Transport(B, A)] as const

describe('Transport', () => {
  it('[NOI5] sleeps as bytes between frames and wakes with the same counters', () => {
    let [client, relay] = pair()
    for (let i = 0; i < 5; i++) {
      relay = Transport.decode(relay.encode())
      client = Transport.decode(client.encode())
      expect(relay.open(client.seal(text(`up ${i}`)))).toEqual(text(`up ${i}`))
      expect(client.open(relay.seal(text(`down ${i}`)))).toEqual(text(`down ${i}`))
    }
    expect(relay.encode()).toHaveLength(TRANSPORT_BYTES)
    expect(TRANSPORT_BYTES).toBeLessThan(2048) // a socket's attachment holds 2 KiB
  })

  it('[NOI4] a lost, repeated or reordered message does not open, and the counter stays', () => {
    const [client, relay] = pair()
    const [first, second] = [client.seal(text('1')), client.seal(text('2'))]
    expect(() => relay.open(second)).toThrow('noise/open')
    expect(relay.open(first)).toEqual(text('1'))
    expect(() => relay.open(first)).toThrow(CryptoError)
    expect(relay.open(second)).toEqual(text('2'))
  })

  it('[T-01] a bit flipped at any position of a frame is refused', () => {
    const [client, relay] = pair()
    const frame = client.seal(text('frame'))
    for (let bit = 0; bit < frame.length * 8; bit++) {
      const flipped = frame.slice()
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(() => relay.open(flipped)).toThrow(CryptoError)
    }
    expect(relay.open(frame)).toEqual(text('frame'))
  })

  it('[NOI6] stops before a counter could repeat', () => {
    const worn = new Transport(A, B, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
    expect(() => worn.seal(text('x'))).toThrow('noise/exhausted')
    expect(() => worn.open(new Uint8Array(TAG_BYTES))).toThrow('noise/exhausted')
    const last = new Transport(A, B, Number.MAX_SAFE_INTEGER - 1)
    last.seal(text('x'))
    expect(() => last.seal(text('x'))).toThrow('noise/exhausted')
    expect(Transport.decode(last.encode()).encode()).toEqual(last.encode())
  })

  it('[NOI7] holds messages to 65,535 bytes', () => {
    const [client, relay] = pair()
    const largest = new Uint8Array(MAX_NOISE_MESSAGE_BYTES - TAG_BYTES)
    expect(relay.open(client.seal(largest))).toEqual(largest)
    expect(() => client.seal(new Uint8Array(largest.length + 1))).toThrow(UsageError)
    expect(() => relay.open(new Uint8Array(MAX_NOISE_MESSAGE_BYTES + 1))).toThrow(WireError)
    expect(() => relay.open(new Uint8Array(TAG_BYTES - 1))).toThrow(WireError)
  })

  it('[NOI5] refuses stored bytes of another version or length', () => {
    const stored = new Transport(A, B).encode()
    expect(() => Transport.decode(stored.with(0, 2))).toThrow('noise/transport-version')
    expect(() => Transport.decode(stored.slice(0, -1))).toThrow(WireError)
    expect(() => Transport.decode(new Uint8Array([...stored, 0]))).toThrow(WireError)
  })
})
