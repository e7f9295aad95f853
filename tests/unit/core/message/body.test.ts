import { describe, expect, it } from 'vitest'
import { BODY_VERSION, decodeBody, encodeBody } from '#core/message/body.ts'
import { encodeCbor } from '#core/wire/cbor.ts'
import type { MessageId } from '#core/wire/ids.ts'
import { MAX_TEXT_BYTES } from '#core/wire/limits.ts'

const id = new Uint8Array(16).fill(3) as MessageId
const common = { v: BODY_VERSION, id, atMs: 1 } as const

describe('bodies', () => {
  it('[M-01] carry any text, from one byte to 64 KiB', () => {
    for (const text of ['a', 'שלום 👩‍👩‍👧 مرحبا', '\u0000', 'x'.repeat(MAX_TEXT_BYTES)]) {
      expect(decodeBody(encodeBody({ ...common, kind: 'text', text }))).toMatchObject({ kind: 'text', text })
    }
  })

  it('[M-01] refuse more than 64 KiB, counted in bytes, on both sides', () => {
    const text = 'é'.repeat(MAX_TEXT_BYTES / 2 + 1)
    expect(() => encodeBody({ ...common, kind: 'text', text })).toThrow('body/too-long')
    expect(() => decodeBody(encodeCbor({ ...common, kind: 'text', text }))).toThrow(/too-l/)
  })

  it('[M-09] name a later version or kind for what it is', () => {
    expect(() => decodeBody(encodeCbor({ ...common, kind: 'hologram' }))).toThrow('body/newer')
    expect(() => decodeBody(encodeCbor({ ...common, v: 2, kind: 'text', text: 'a' }))).toThrow('body/newer')
    expect(() => decodeBody(encodeCbor('text'))).toThrow('body/shape')
  })
})
