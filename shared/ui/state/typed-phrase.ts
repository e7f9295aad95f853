import type { ReadPhrase } from '#core/keys/read-phrase.ts'
import { normalWord } from './ceremony.ts'

export const PHRASE_WORDS = 24

/** Words typed or pasted into the field at `place` go on into the fields after it; `last` is the last one filled. */
export function spread(words: readonly string[], place: number, typed: string) {
  const parts = typed.split(/[\s,;]+/u).filter((part) => /\p{L}/u.test(part))
  const next = [...words]
  if (parts.length === 0) next[place] = ''
  for (const [index, part] of parts.entries()) if (place + index < next.length) next[place + index] = part
  return { words: next, last: Math.min(place + Math.max(parts.length, 1), next.length) - 1 }
}

export type TypedProblem = {
  readonly code: string
  readonly place: number // of the field to go to
  readonly suggestions: readonly string[]
  readonly detail: Readonly<Record<string, string | number>>
}

/** The first thing that is not right with what was typed, and where (K-03); undefined when nothing is wrong. */
export function phraseProblem(words: readonly string[], read: (text: string) => ReadPhrase): TypedProblem | undefined {
  const found = read(words.join(' '))
  if (!found.ok && found.error === 'word') {
    const place = placeOf(words, found.index)
    return {
      code: 'phrase/typo',
      place,
      suggestions: found.suggestions,
      detail: { position: place + 1 },
    }
  }
  const blank = words.findIndex((word) => normalWord(word) === '')
  if (blank !== -1) return { code: 'phrase/blank', place: blank, suggestions: [], detail: { position: blank + 1 } }
  if (found.ok) return undefined
  const code = found.error === 'checksum' ? 'phrase/checksum' : 'phrase/count'
  return { code, place: 0, suggestions: [], detail: found.error === 'count' ? { count: found.count } : {} }
}

/** The reader counts words; fields that are still empty hold none. */
function placeOf(words: readonly string[], index: number): number {
  const filled = words.flatMap((word, place) => (/\p{L}/u.test(word) ? [place] : []))
  return filled[index] ?? 0
}
