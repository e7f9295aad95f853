import { describe, expect, it } from 'vitest'
import { readPhrase } from '#core/keys/read-phrase.ts'
import { phraseProblem, spread } from '#ui/state/typed-phrase.ts'

const NONE = Array.from({ length: 24 }, () => '')
/** All zeros, whose checksum is in the last word. */
const WORDS = [...Array.from({ length: 23 }, () => 'abandon'), 'art']

describe('words typed from paper', () => {
  it('[K-03] a pasted phrase fills all fields, numbers and line breaks or not', () => {
    const listed = WORDS.map((word, index) => `${index + 1}. ${word}`).join('\n')
    for (const text of [WORDS.join(' '), listed, `  ${WORDS.join(', ')} `]) {
      const { words, last } = spread(NONE, 0, text)
      expect(phraseProblem(words, readPhrase), text).toBeUndefined()
      expect(last).toBe(23)
    }
  })

  it('[K-03] goes on from the field it was typed into, and not past the last one', () => {
    expect(spread(NONE, 22, 'zoo zoo zoo')).toMatchObject({ last: 23 })
    expect(spread(NONE, 3, 'able ').words.indexOf('able')).toBe(3)
    expect(spread(WORDS, 3, '').words[3]).toBe('')
  })

  it('[K-03] names the wrong word by its field, with what may be meant, also while others are empty', () => {
    const words = WORDS.with(0, '').with(6, 'gardin')
    expect(phraseProblem(words, readPhrase)).toMatchObject({
      code: 'phrase/typo',
      place: 6,
      detail: { position: 7 },
      suggestions: expect.arrayContaining(['garden']),
    })
  })

  it('[K-03] forgives case, full-width letters, and words cut after four letters', () => {
    expect(phraseProblem(WORDS.with(0, 'ＡＢＡＮ').with(1, 'Abandon'), readPhrase)).toBeUndefined()
  })

  it('[K-03] a missing word and words that don’t belong together are told apart', () => {
    expect(phraseProblem(WORDS.with(4, ' '), readPhrase)).toMatchObject({ code: 'phrase/blank', place: 4 })
    expect(phraseProblem(WORDS.with(4, 'zoo'), readPhrase)).toMatchObject({ code: 'phrase/checksum' })
  })
})
