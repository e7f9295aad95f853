import { describe, expect, it } from 'vitest'
import { fromPlain, toPlain } from '../../../extension/bridge/plain.ts'

describe('what crosses between the extension’s contexts', () => {
  it('[K-10] keeps its bytes through JSON, wherever they are', () => {
    const value = {
      prf: Uint8Array.of(1, 2, 255),
      list: [{ id: new Uint8Array() }, 'text', 7, null, true],
      text: '$bytes',
    }
    expect(fromPlain(JSON.parse(JSON.stringify(toPlain(value))))).toEqual(value)
    expect(fromPlain(toPlain(null))).toBeNull()
  })

  it('takes no bytes that are none', () => {
    expect(() => fromPlain({ $bytes: '*' })).toThrow()
    expect(fromPlain({ $bytes: 7 })).toEqual({ $bytes: 7 })
  })
})
