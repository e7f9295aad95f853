import { useState } from 'preact/hooks'
import { completeWord, normalWord } from '../state/ceremony.ts'
import { Field } from './field.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useModel } from './use-model.ts'
import { usePhraseWords } from './use-phrase-words.ts'

type Props = { readonly positions: readonly number[]; readonly onDone: () => void; readonly onAgain: () => void }

export function PhraseCheck({ positions, onDone, onAgain }: Props) {
  const model = useModel()
  const t = model.strings.value.backup
  const [typed, setTyped] = useState<Readonly<Record<number, string>>>({})
  const list = usePhraseWords()
  const [problem, setProblem] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)

  const check = async () => {
    if (isBusy) return
    setBusy(true)
    setProblem(undefined)
    try {
      await model.face.confirmPhrase(
        positions.map((position) => ({ position, word: normalWord(typed[position] ?? '') })),
      )
      onDone()
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }
  const wrong = wrongPosition(problem)
  return (
    <form
      class="pane-body"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        check()
      }}
    >
      <p>{t.checkLead}</p>
      {positions.map((position) => (
        <Field
          key={position}
          label={t.wordNumber(position)}
          value={typed[position] ?? ''}
          onInput={(word) => {
            setTyped((now) => ({ ...now, [position]: word }))
            setProblem(undefined)
          }}
          isExact
          options={completeWord(list, typed[position] ?? '')}
          problem={wrong === position ? model.say(problem) : undefined}
        />
      ))}
      <ProblemLine problem={wrong === undefined ? problem : undefined} />
      <div class="acts">
        <button type="submit" class="button primary" aria-disabled={isBusy}>
          {t.check}
        </button>
        <button type="button" class="button" onClick={onAgain}>
          {t.again}
        </button>
      </div>
    </form>
  )
}

function wrongPosition(problem: unknown): number | undefined {
  if (typeof problem !== 'object' || problem === null || !('detail' in problem)) return undefined
  const { detail } = problem
  if (typeof detail !== 'object' || detail === null || !('position' in detail)) return undefined
  return typeof detail.position === 'number' ? detail.position : undefined
}
