import { useRef, useState } from 'preact/hooks'
import { completeWord } from '../state/ceremony.ts'
import { PHRASE_WORDS, phraseProblem, spread, type TypedProblem } from '../state/typed-phrase.ts'
import { ProblemLine } from './problem-line.tsx'
import { RealmField, typedRealm } from './realm-field.tsx'
import type { RestoreForm } from './restore-by.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'
import { usePhraseWords } from './use-phrase-words.ts'
import { WordFields } from './word-fields.tsx'

const NONE: readonly string[] = Array.from({ length: PHRASE_WORDS }, () => '')

/** The words from the paper (K-03): typed one by one or pasted, completed, and the wrong one named. */
export const RestoreWords: RestoreForm = ({ lookUp }) => {
  const { shell, strings } = useModel()
  const t = strings.value.restore
  const form = useRef<HTMLFormElement>(null)
  const [words, setWords] = useState(NONE)
  const [realm, setRealm] = useState('')
  const [typed, setTyped] = useState<TypedProblem>()
  const { isBusy, problem, setProblem, run } = useAct()
  const list = usePhraseWords()

  const goTo = (place: number) => form.current?.querySelectorAll<HTMLInputElement>('.words input')[place]?.focus()
  const write = (place: number, text: string) => {
    const next = spread(words, place, text)
    setTyped(undefined)
    setProblem(undefined)
    setWords(next.words)
    if (/\s/u.test(text)) goTo(Math.min(next.last + 1, PHRASE_WORDS - 1))
  }
  const look = () =>
    run(async () => {
      const read = await shell.phraseReader?.()
      const wrong = read === undefined ? undefined : phraseProblem(words, read)
      setTyped(wrong)
      if (wrong === undefined) await lookUp({ by: 'phrase', words: words.join(' '), ...typedRealm(realm) })
      else goTo(wrong.place)
    })
  return (
    <form
      class="pane-body"
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        look()
      }}
    >
      <p>{t.wordsLead}</p>
      <WordFields
        words={words}
        wrong={typed?.place}
        complete={(word) => completeWord(list, word)}
        onWrite={write}
        onEnter={look}
      />
      <ProblemLine problem={typed ?? problem} />
      {typed !== undefined && typed.suggestions.length > 0 && (
        <p class="suggestions">
          {t.suggestions}{' '}
          {typed.suggestions.map((word) => (
            <button key={word} type="button" class="text-button exact" onClick={() => write(typed.place, word)}>
              {word}
            </button>
          ))}
        </p>
      )}
      <RealmField value={realm} onInput={setRealm} />
      <div class="acts">
        <button type="submit" class="button primary" aria-disabled={isBusy}>
          {isBusy ? t.looking : t.look}
        </button>
        {words.some((word) => word !== '') && (
          <button type="button" class="button" onClick={() => setWords(NONE)}>
            {t.clear}
          </button>
        )}
      </div>
    </form>
  )
}
