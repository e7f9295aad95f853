import { encode, rfc8949EncodeOptions } from 'cborg'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeCbor, encodeCbor } from '#core/wire/cbor.ts'

const leaf = fc.oneof(
  fc.boolean(),
  fc.maxSafeInteger(),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.uint8Array({ maxLength: 40 }),
)
const key = fc.oneof(fc.string({ maxLength: 40 }), fc.string({ unit: 'grapheme', maxLength: 20 }))
const value = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(key, tie('node'), { maxKeys: 8, noNullPrototype: true }),
  ),
})).node

describe('CBOR', () => {
  it('is what RFC 8949 section 4.2.1 asks for, whatever texts are keys', () => {
    fc.assert(
      fc.property(value, (given) => {
        expect(Buffer.from(encodeCbor(given))).toEqual(Buffer.from(encode(given, rfc8949EncodeOptions)))
      }),
      { numRuns: 2_000, seed: 1 },
    )
  })

  it('has one encoding for a value, and gives the value back', () => {
    const given = { bb: [1, true, new Uint8Array([1, 2])], a: 'x', ccc: { d: -1 } }
    expect(encodeCbor(given)).toEqual(encodeCbor({ ccc: { d: -1 }, a: 'x', bb: given.bb }))
    expect(decodeCbor(encodeCbor(given), 1_000)).toEqual(given)
  })
})
