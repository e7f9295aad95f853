import { describe, expect, it } from 'vitest'
import { WireError } from '#core/errors.ts'
import { encodeSafetyCode, matchesSafetyCode, safetyNumber } from '#core/identity/safety-number.ts'
import type { AccountId } from '#core/wire/ids.ts'
import { Seeded } from '../../../support/seeded.ts'

const dice = new Seeded(11)
const account = () => dice.dice(32) as AccountId

describe('safety number', () => {
  it('[K-11] sixty digits, equal on both sides, another for every pair', () => {
    const [a, b, c] = [account(), account(), account()]
    expect(safetyNumber(a, b)).toMatch(/^\d{60}$/)
    expect(safetyNumber(a, b)).toBe(safetyNumber(b, a))
    expect(safetyNumber(a, b)).not.toBe(safetyNumber(a, c))
  })

  it('[K-11] a code matches for the two that it is of, in that direction', () => {
    const [a, b, c] = [account(), account(), account()]
    const shownByB = encodeSafetyCode(b, a)
    expect(matchesSafetyCode(shownByB, a, b)).toBe(true)
    expect(matchesSafetyCode(shownByB, b, a)).toBe(false)
    expect(matchesSafetyCode(shownByB, a, c)).toBe(false)
  })

  it('[K-11] what is no code is refused before it is compared', () => {
    const [a, b] = [account(), account()]
    const code = encodeSafetyCode(a, b)
    expect(() => matchesSafetyCode(code.subarray(1), b, a)).toThrow(WireError)
    expect(() => matchesSafetyCode(Uint8Array.of(2, ...code.subarray(1)), b, a)).toThrow(WireError)
  })
})
