import { wordlist } from '@scure/bip39/wordlists/english.js'
import { PHRASE_WORDS, phraseToEntropy } from './phrase.ts'
import { suggestWords } from './suggest.ts'

/** What a person typed or pasted, read forgivingly (K-03); `index` counts from 0. */
export type ReadPhrase =
  | { readonly ok: true; readonly words: readonly string[] }
  | { readonly ok: false; readonly error: 'count'; readonly count: number }
  | {
      readonly ok: false
      readonly error: 'word'
      readonly index: number
      readonly word: string
      readonly suggestions: readonly string[]
    }
  | { readonly ok: false; readonly error: 'checksum' }

/** BIP-39: the first four letters of a word tell it from all others. */
const PREFIX_LETTERS = 4
const MAX_COMPLETIONS = 8
const known = new Set(wordlist)

export function readPhrase(text: string): ReadPhrase {
  const typed = wordsIn(text)
  const words: string[] = []
  for (const [index, word] of typed.entries()) {
    const meant = known.has(word) ? word : byPrefix(word)
    if (meant === undefined) return { ok: false, error: 'word', index, word, suggestions: suggestWords(word) }
    words.push(meant)
  }
  if (words.length !== PHRASE_WORDS) return { ok: false, error: 'count', count: words.length }
  return phraseToEntropy(words) === undefined ? { ok: false, error: 'checksum' } : { ok: true, words }
}

/** The words that begin so, in the order of the list. */
export function completeWord(prefix: string): readonly string[] {
  const letters = plain(prefix).trim()
  if (letters === '') return []
  return wordlist.filter((word) => word.startsWith(letters)).slice(0, MAX_COMPLETIONS)
}

/** Whatever is neither letter nor digit parts words; numbers are the list's numbering. */
function wordsIn(text: string): string[] {
  return plain(text)
    .split(/[^\p{L}\p{N}]+/u)
    .map((token) => token.replace(/^\p{N}{1,2}(?=\p{L})/u, ''))
    .filter((token) => token !== '' && !/^\p{N}+$/u.test(token))
}

/** Full-width, composed and accented letters as plain ones; what can't be seen goes. */
function plain(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\p{M}\p{Cf}]/gu, '')
    .replaceAll('ı', 'i') // what a Turkish keyboard makes of I
}

function byPrefix(letters: string): string | undefined {
  if (letters.length < PREFIX_LETTERS) return undefined
  const [first, ...others] = wordlist.filter((word) => word.startsWith(letters))
  return others.length === 0 ? first : undefined
}
