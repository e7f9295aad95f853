import { InputError } from '#core/errors.ts'
import { readPhrase } from '#core/keys/read-phrase.ts'

/**
 * The 24 words as somebody typed or pasted them (K-03).
 * @throws InputError 'phrase/typo' with the first word that is none, 'phrase/count', 'phrase/checksum'
 */
export function typedWords(text: string): readonly string[] {
  const read = readPhrase(text)
  if (read.ok) return read.words
  switch (read.error) {
    case 'word':
      throw new InputError('phrase/typo', { position: read.index + 1, suggestions: read.suggestions.join(' ') })
    case 'count':
      throw new InputError('phrase/count', { count: read.count })
    case 'checksum':
      throw new InputError('phrase/checksum')
  }
}
