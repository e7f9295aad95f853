import { describe, expect, it } from 'vitest'
import { decodeCbor, encodeCbor } from '#core/wire/cbor.ts'
import { decodeCover, encodeCover } from '#core/wire/cover.ts'
import { decodeEnvelope, encodeEnvelope } from '#core/wire/envelope.ts'
import type { Address, Token } from '#core/wire/ids.ts'
import {
  decodeReceived,
  decodeRequest,
  encodePush,
  encodeRefusal,
  encodeReply,
  encodeRequest,
} from '#core/wire/message.ts'

const address = new Uint8Array(32).fill(1) as Address
const token = new Uint8Array(32).fill(2) as Token

describe('CBOR', () => {
  it('[R-06] is bounded before it is parsed', () => {
    expect(() => decodeCbor(encodeCbor(new Uint8Array(100)), 50)).toThrow('cbor/too-large')
  })

  it('[R-06] [I-10] refuses deep nesting without recursing into it', () => {
    expect(() => decodeCbor(new Uint8Array(100_000).fill(0x81), 200_000)).toThrow('cbor/depth')
    expect(() => decodeCbor(new Uint8Array(100_000).fill(0xc1), 200_000)).toThrow('cbor/depth')
  })

  it('refuses what has another encoding: trailing bytes, indefinite lengths, repeated keys, long integers', () => {
    for (const hex of ['0101', '9f01ff', 'a2616101616102', '1801', 'f7', 'fb7ff8000000000000', '7f6161ff']) {
      expect(() => decodeCbor(Uint8Array.from(Buffer.from(hex, 'hex')), 100), hex).toThrow('cbor/malformed')
    }
  })
})

describe('envelope', () => {
  const envelope = encodeEnvelope({ to: address, body: Uint8Array.of(1, 2, 3) })

  it('[ENV1] is bounded before it is parsed', () => {
    expect(() => decodeEnvelope(new Uint8Array(2 ** 21))).toThrow('reader/too-large')
  })

  it('[ENV2] refuses trailing bytes', () => {
    expect(() => decodeEnvelope(new Uint8Array([...envelope, 0]))).toThrow('reader/trailing')
  })

  it('refuses a later version and a length beyond the end', () => {
    expect(() => decodeEnvelope(envelope.with(0, 2))).toThrow('envelope/version')
    expect(() => decodeEnvelope(envelope.with(36, 200))).toThrow('reader/short')
    expect(decodeEnvelope(envelope)).toEqual({ to: address, body: Uint8Array.of(1, 2, 3) })
  })
})

describe('messages', () => {
  it('carry a request with exactly its operation’s fields', () => {
    const bytes = encodeRequest(7, 'mailbox.attach', { address, token })
    expect(decodeRequest(bytes)).toEqual({ id: 7, op: 'mailbox.attach', args: { address, token } })
  })

  it('[R-06] refuse an unknown operation, a missing field, a field too many, a wrong length', () => {
    const request = (op: string, args: unknown): Uint8Array => encodeCbor([0, 1, op, args])
    expect(() => decodeRequest(request('mailbox.burn', {}))).toThrow('message/request')
    expect(() => decodeRequest(request('toString', {}))).toThrow('message/request')
    expect(() => decodeRequest(request('mailbox.attach', { address }))).toThrow('schema/bytes')
    expect(() => decodeRequest(request('mailbox.attach', { address, token, more: 1 }))).toThrow('schema/unknown-field')
    expect(() => decodeRequest(request('mailbox.attach', { address, token: token.subarray(1) }))).toThrow(
      'schema/bytes',
    )
    expect(() => decodeRequest(encodeCbor([0, 1, 'mailbox.attach', { address, token }, 5]))).toThrow('message/request')
  })

  it('carry replies, refusals and pushes', () => {
    expect(decodeReceived(encodeReply(1, {}))).toEqual({ kind: 'reply', id: 1, value: {} })
    const refusal = { code: 'quota/rate', retryable: true, waitMs: 40 }
    expect(decodeReceived(encodeRefusal(2, refusal))).toEqual({ kind: 'refusal', id: 2, refusal })
    const item = { n: 1, envelope: new Uint8Array(3) }
    expect(decodeReceived(encodePush('mail', { item }))).toEqual({ kind: 'push', name: 'mail', value: { item } })
    expect(() => decodeReceived(encodeCbor([3, 'shout', {}]))).toThrow('message/push')
  })

  it('[T-03] ask for cover of a bucket or of none', () => {
    for (const size of [0, 256, 1024, 32_768]) expect(decodeCover(encodeCover(size))).toBe(size)
    expect(() => decodeCover(Uint8Array.of(7))).toThrow('cover/answer')
    expect(() => decodeCover(Uint8Array.of(16))).toThrow('cover/answer')
    expect(() => decodeCover(new Uint8Array())).toThrow('cover/length')
  })
})
