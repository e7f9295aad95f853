import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { WireError } from '#core/errors.ts'
import { inflate } from '#core/log/deflate.ts'
import { decodeEntry, type Entry, encodeEntry, MAX_DELTAS, MAX_PAGE_BYTES } from '#core/log/entry.ts'
import { packDeltas } from '#core/log/pack.ts'
import { deltasOf, MAX_INFLATED_BYTES, makePage, openPage } from '#core/log/page.ts'
import { encodeCbor } from '#core/wire/cbor.ts'
import type { Head } from '#core/wire/ids.ts'
import { bytes, countingDice, dated, device, line } from './support.ts'

const entries = Array.from({ length: 70 }, (_, i) => [
  dated(i % 2, line(i, i, { text: `what I meant to say, number ${i}` })),
])

describe('a page', () => {
  it('[LGE5] holds what its entries came to, a tenth as large', async () => {
    const again = [...entries, [dated(3, line(500, 1, { state: 'delivered' }))]]
    const { page, taken } = await makePage(again)
    expect(taken).toBe(71)
    const deltas = await openPage(page)
    expect(deltas).toHaveLength(70)
    expect(deltas.find(({ delta }) => delta.at === 500)?.by).toEqual(device(3))
    expect(page.length).toBeLessThan(70 * 120)
  })

  it('[LGE5] is read back from its entry', async () => {
    const { page } = await makePage(entries)
    const covers = { from: 1, to: 70, before: bytes(1) as Head, after: bytes(2) as Head }
    const entry: Entry = { v: 1, by: device(1), page, covers }
    const read = decodeEntry(encodeEntry(entry))
    expect(read).toEqual(entry)
    expect(await deltasOf(read)).toEqual(entries.flat())
    const backwards = encodeEntry({ ...entry, covers: { ...covers, from: 71 } })
    expect(() => decodeEntry(backwards)).toThrow('log/covers')
  })

  it('[LGE5] takes as many entries as it can hold', async () => {
    const large = (length: number) =>
      Array.from({ length: 64 }, (_, i) => {
        const noise = Buffer.from(countingDice(i)(length)).toString('base64')
        return [dated(1, line(i, i, { text: noise }))]
      })
    const { page, taken } = await makePage(large(24_000))
    expect(taken).toBe(16)
    expect(page.length).toBeLessThan(MAX_PAGE_BYTES)
    const many = Array.from({ length: 4 }, (_, e) =>
      Array.from({ length: 500 }, (_, i) => dated(1, line(i, e * 500 + i))).map((one, i) => ({
        ...one,
        delta: { ...one.delta, messageId: countingDice(e * 500 + i)(16) as typeof one.delta.messageId },
      })),
    )
    expect((await makePage(many)).taken).toBe(2)
  })

  it('[R-06] a bomb stops at its limit', async () => {
    const bomb = new Uint8Array(deflateRawSync(new Uint8Array(64 * 1024 * 1024)))
    expect(bomb.length).toBeLessThan(70_000)
    const before = process.memoryUsage().arrayBuffers
    await expect(openPage(bomb)).rejects.toThrow('deflate/too-large')
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * MAX_INFLATED_BYTES)
  })

  it('[R-06] what is no DEFLATE, or ends early, is refused', async () => {
    const good = new Uint8Array(deflateRawSync(encodeCbor([])))
    expect(await openPage(good)).toEqual([])
    await expect(inflate(new Uint8Array([255, 255, 255]), 100)).rejects.toThrow(WireError)
    await expect(inflate(good.slice(0, -1), 100)).rejects.toThrow(WireError)
    await expect(inflate(new Uint8Array(), 100)).rejects.toThrow(WireError)
  })
})

describe('entries', () => {
  it('[L-01] deltas are packed in order into as few as hold them', () => {
    const deltas = Array.from({ length: MAX_DELTAS + 10 }, (_, i) => line(i, i % 256))
    const packed = packDeltas(device(1), deltas)
    expect(packed.map((entry) => entry.deltas.length)).toEqual([MAX_DELTAS, 10])
    expect(packed.flatMap((entry) => entry.deltas)).toEqual(deltas)
    const large = Array.from({ length: 5 }, (_, i) => line(i, i, { text: 'x'.repeat(50_000) }))
    expect(packDeltas(device(1), large).map((entry) => entry.deltas.length)).toEqual([2, 2, 1])
    expect(packDeltas(device(1), [])).toEqual([])
  })

  it('[MRG4] a later version, or a kind of delta that is not known, is told apart from rubbish', () => {
    const entry = { v: 1, by: device(1), deltas: [line(1, 1)] }
    expect(decodeEntry(encodeCbor(entry))).toEqual(entry)
    expect(() => decodeEntry(encodeCbor({ ...entry, v: 2 }))).toThrow('log/newer')
    expect(() => decodeEntry(encodeCbor({ ...entry, deltas: [{ kind: 'poll', at: 1 }] }))).toThrow('log/newer')
    expect(() => decodeEntry(encodeCbor({ ...entry, deltas: [{ kind: 'toString', at: 1 }] }))).toThrow('log/newer')
    expect(() => decodeEntry(encodeCbor({ ...entry, deltas: [{ at: 1 }] }))).toThrow('log/shape')
    expect(() => decodeEntry(encodeCbor({ ...entry, more: 1 }))).toThrow('schema/unknown-field')
    expect(() => decodeEntry(encodeCbor([]))).toThrow('log/shape')
    expect(() => decodeEntry(encodeCbor({ ...entry, deltas: Array(MAX_DELTAS + 1).fill(line(1, 1)) }))).toThrow(
      'schema/list',
    )
  })

  it('[L-01] settings are a flat list of plain values', () => {
    const settings = (values: unknown) =>
      decodeEntry(encodeCbor({ v: 1, by: device(1), deltas: [{ kind: 'settings', at: 1, values }] }))
    const values = { theme: 'dark', enterSends: true, count: 3 }
    expect(settings(values)).toMatchObject({ deltas: [{ values }] })
    for (const wrong of [null, [], { a: {} }, { a: null }, { a: 'x'.repeat(300) }, { a: -1 }]) {
      expect(() => settings(wrong)).toThrow(WireError)
    }
    expect(() => settings(Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`${i}`, i])))).toThrow(WireError)
  })
})
