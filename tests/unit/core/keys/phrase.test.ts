import { wordlist } from '@scure/bip39/wordlists/english.js'
import { describe, expect, it } from 'vitest'
import { sha256 } from '#core/crypto/hash.ts'
import { systemDice } from '#core/crypto/random.ts'
import { UsageError } from '#core/errors.ts'
import { entropyToPhrase, newPhrase, PHRASE_WORDS, phraseToEntropy } from '#core/keys/phrase.ts'
import { completeWord, readPhrase } from '#core/keys/read-phrase.ts'

const entropy = sha256(new TextEncoder().encode('a phrase for tests'))
const words = entropyToPhrase(entropy)
const line = words.join(' ')
const numbered = (mark: (n: number) => string, between: string) => words.map((w, i) => mark(i + 1) + w).join(between)
const fullWidth = (text: string) =>
  text.replaceAll(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0))

/** K-03: the forms in which a right phrase may be typed or pasted. */
const FORMS: readonly (readonly [string, string])[] = [
  ['as it was shown', line],
  [
    'upper and mixed case',
    words.map((w, i) => (i % 2 ? w.toUpperCase() : `${w[0]?.toUpperCase()}${w.slice(1)}`)).join(' '),
  ],
  ['extra white space', `  \t${words.join('   ')}  \n`],
  ['exotic white space', words.join('\u00a0').replace('\u00a0', '\u2003').replace('\u00a0', '\u3000')],
  ['a word a line', words.join('\r\n')],
  ['commas', words.join(', ')],
  ["numbered '1.'", numbered((n) => `${n}. `, '\n')],
  ["numbered '1)' without space", numbered((n) => `${n})`, ' ')],
  ["numbered '#1'", numbered((n) => `#${n} `, '\t')],
  ['numbers glued to the words', numbered((n) => `${n}`, ' ')],
  ['composed accents (NFC)', line.replace('a', 'á').normalize('NFC')],
  ['decomposed accents (NFD)', line.replace('a', 'á').normalize('NFD')],
  ['zero-width characters', `\ufeff${words.map((w) => `${w[0]}\u200b${w.slice(1)}\u200d`).join(' ')}`],
  ['full-width letters', fullWidth(line).replaceAll(' ', '\u3000')],
  ['the first four letters of each', words.map((w) => w.slice(0, 4)).join(' ')],
  ['dotless i of a Turkish keyboard', line.replaceAll('i', 'ı')],
  ['dotted capitals of a Turkish keyboard', line.toUpperCase().replaceAll('I', 'İ')],
  ['quotes and bullets', words.map((w) => `• “${w}”`).join('\n')],
]

describe('the phrase', () => {
  it('[K-01] has 24 words, drawn from the dice it is given', () => {
    expect(newPhrase(() => entropy.slice())).toEqual(words)
    expect(words).toHaveLength(PHRASE_WORDS)
    expect(newPhrase(systemDice)).not.toEqual(newPhrase(systemDice))
    expect(() => entropyToPhrase(new Uint8Array(16))).toThrow(UsageError)
    expect(phraseToEntropy(words)).toEqual(entropy)
  })

  it.each(FORMS)('[K-03] is read when typed with %s', (_form, text) => {
    expect(readPhrase(text)).toEqual({ ok: true, words })
  })

  it('[K-03] names the wrong word and what was meant', () => {
    const typo = words.with(6, 'abandn')
    expect(readPhrase(typo.join(' '))).toEqual({
      ok: false,
      error: 'word',
      index: 6,
      word: 'abandn',
      suggestions: ['abandon'],
    })
    const swapped = readPhrase(words.with(3, 'waht').join(' '))
    expect(swapped).toMatchObject({ error: 'word', index: 3 })
    expect(swapped).toHaveProperty('suggestions', expect.arrayContaining(['what']))
    expect(readPhrase(words.with(0, 'x'.repeat(100_000)).join(' '))).toMatchObject({ error: 'word', suggestions: [] })
    expect(readPhrase(words.with(2, 'aband0n').join(' '))).toMatchObject({ index: 2, suggestions: ['abandon'] })
  })

  it('[K-03] counts the words', () => {
    expect(readPhrase('')).toEqual({ ok: false, error: 'count', count: 0 })
    expect(readPhrase(words.slice(1).join(' '))).toEqual({ ok: false, error: 'count', count: 23 })
    expect(readPhrase(`${line} ${words[0]}`)).toEqual({ ok: false, error: 'count', count: 25 })
    const twelve = `${'abandon '.repeat(11)}about` // a good BIP-39 phrase, but not one of ours
    expect(readPhrase(twelve)).toEqual({ ok: false, error: 'count', count: 12 })
  })

  it('[K-03] says when the words are all known but do not fit together', () => {
    expect(readPhrase(words.toReversed().join(' '))).toEqual({ ok: false, error: 'checksum' })
  })

  it('[K-03] completes a word from its beginning', () => {
    expect(completeWord('aban')).toEqual(['abandon'])
    expect(completeWord(' ACT')).toEqual(['act', 'action', 'actor', 'actress', 'actual'])
    expect(completeWord('')).toEqual([])
    expect(completeWord('zzz')).toEqual([])
    expect(completeWord('a').length).toBeLessThanOrEqual(8)
  })

  it('[K-03] each word of the list is known by itself and by its first four letters', () => {
    for (const word of wordlist) {
      expect(readPhrase(word)).toMatchObject({ error: 'count', count: 1 })
      expect(readPhrase(word.slice(0, 4))).toMatchObject({ error: 'count', count: 1 })
    }
    expect(readPhrase('zon')).toMatchObject({ error: 'word', word: 'zon' }) // three letters are too few, even if only one word fits
  })
})
