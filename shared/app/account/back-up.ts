import { InputError } from '#core/errors.ts'
import { entropyToPhrase } from '#core/keys/phrase.ts'
import type { Deps } from '../deps.ts'
import { readAccount } from './read-account.ts'

/** The words, on purpose only (K-02). @throws InputError 'phrase/gone' once they were confirmed: this device forgot them */
export async function revealPhrase(deps: Pick<Deps, 'store'>): Promise<readonly string[]> {
  const phrase = await deps.store.get('meta', 'phrase')
  if (phrase?.kind !== 'phrase') throw new InputError('phrase/gone')
  return entropyToPhrase(phrase.entropy)
}

export type PhraseAnswer = { readonly position: number; readonly word: string } // position counts from 1

const MIN_ANSWERS = 3

/** Checks some of the words and then forgets them all: from here on they are with the person alone. Runs in the turn 'realm'. */
export async function confirmPhrase(deps: Deps, answers: readonly PhraseAnswer[]): Promise<void> {
  const words = await revealPhrase(deps)
  if (new Set(answers.map((answer) => answer.position)).size < MIN_ANSWERS) throw new InputError('phrase/too-few')
  for (const { position, word } of answers) {
    if (words[position - 1] !== word.trim().normalize('NFKD').toLowerCase())
      throw new InputError('phrase/word', { position })
  }
  const account = await readAccount(deps.store)
  if (account === undefined) throw new InputError('identity/none')
  await deps.store.write([
    { put: 'meta', key: 'account', record: { ...account, backedUp: true } },
    { delete: 'meta', key: 'phrase' },
  ])
}
