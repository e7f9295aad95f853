import { describe, expect, it } from 'vitest'
import { BODY_VERSION, decodeBody, encodeBody } from '#core/message/body.ts'
import { encodeCbor } from '#core/wire/cbor.ts'
import type { AccountId, MessageId } from '#core/wire/ids.ts'
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

  it('[TRC1] say what the author was shown of the directory, in exact sizes', () => {
    const hash = new Uint8Array(32).fill(9)
    const shown = { view: { size: 7, root: hash }, own: { sequence: 2, hash }, theirs: { sequence: 1, hash } }
    const text = { ...common, kind: 'text', text: 'a', ...shown } as const
    expect(decodeBody(encodeBody(text))).toEqual(text)
    for (const wrong of [
      { view: { size: 7, root: hash.slice(1) } },
      { own: { sequence: 2 ** 32, hash } },
      { theirs: { sequence: 1, hash, more: 1 } },
    ]) {
      expect(() => decodeBody(encodeCbor({ ...common, kind: 'text', text: 'a', ...wrong }))).toThrow(/schema/)
    }
  })

  it('[M-09] [MSG3] have a time that can be shown', () => {
    const last = { ...common, atMs: 8_640_000_000_000_000, kind: 'text', text: 'a' } as const
    expect(new Date(decodeBody(encodeBody(last)).atMs).toISOString()).toMatch(/275760/)
    expect(() => decodeBody(encodeCbor({ ...last, atMs: last.atMs + 1 }))).toThrow('schema/uint')
    const again = { ...common, kind: 'again', ask: id, lines: [{ id, atMs: last.atMs + 1, order: 1, text: 'a' }] }
    expect(() => decodeBody(encodeCbor(again))).toThrow('schema/uint')
  })

  it('[SHR5] tell of earlier messages, in exact sizes', () => {
    const stash = { id: new Uint8Array(16), pieces: 64 }
    const history = {
      ...common,
      kind: 'history',
      to: new Uint8Array(32) as AccountId,
      ...{ box: new Uint8Array(80), stash, count: 9, upTo: 4 },
    } as const
    expect(decodeBody(encodeBody(history))).toEqual(history)
    for (const wrong of [
      { box: new Uint8Array(81) },
      { stash: { ...stash, pieces: 65 } },
      { to: new Uint8Array(31) },
      { upTo: -1 },
      { more: 1 },
    ]) {
      expect(() => decodeBody(encodeCbor({ ...history, ...wrong }))).toThrow(/schema/)
    }
  })

  it('[SEAM1] [SEAM2] ask for what was missed, and tell it again: as much text as one body may have', () => {
    const ask = { ...common, kind: 'ask', after: 3, upTo: 9 } as const
    expect(decodeBody(encodeBody(ask))).toEqual(ask)
    const text = 'x'.repeat(MAX_TEXT_BYTES / 64)
    const lines = Array.from({ length: 64 }, (_, order) => ({
      id,
      atMs: Date.UTC(2100, 0),
      order: 2 ** 45 + order,
      text,
    }))
    const again = { ...common, kind: 'again', ask: id, lines } as const
    expect(decodeBody(encodeBody(again))).toEqual(again)
    const longer = { ...again, lines: lines.map((line) => ({ ...line, text: `${text}é` })) }
    expect(() => encodeBody(longer)).toThrow('body/too-long')
    expect(() => decodeBody(encodeCbor({ ...again, lines: [...lines, ...lines] }))).toThrow(/too-l|schema/)
    const answered = { ...common, kind: 'answered', ask: id } as const
    expect(decodeBody(encodeBody(answered))).toEqual(answered)
  })
})
