import { useState } from 'preact/hooks'
import { Field } from './field.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useModel } from './use-model.ts'

type Props = {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly suggest: string
  readonly isShort: boolean
}

/** A passphrase that is made now, in sight: one's own, or six words that nobody guesses. */
export function NewPassphrase({ label, hint, value, onInput, suggest, isShort }: Props) {
  const model = useModel()
  const [problem, setProblem] = useState<unknown>()
  return (
    <>
      <Field
        label={label}
        hint={hint}
        value={value}
        onInput={onInput}
        problem={isShort ? model.say({ code: 'passphrase/short' }) : undefined}
        isExact
      />
      <div class="acts">
        <button
          type="button"
          class="text-button"
          onClick={() => model.face.suggestPassphrase().then(onInput, setProblem)}
        >
          {suggest}
        </button>
      </div>
      <ProblemLine problem={problem} />
    </>
  )
}
