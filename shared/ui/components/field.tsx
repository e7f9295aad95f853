import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { useModel } from './use-model.ts'
import './field.css'

type Props = {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly hint?: string
  readonly problem?: string | undefined
  readonly maxLength?: number
  readonly autoComplete?: 'nickname' | 'current-password' | 'new-password' | 'off'
  /** Words and links: monospace, no correction by the keyboard. */
  readonly isExact?: boolean
  readonly options?: readonly string[]
  /** Covered until somebody asks to see it. */
  readonly isSecret?: boolean
  readonly hasFocus?: boolean
}

export function Field({
  label,
  value,
  onInput,
  hint,
  problem,
  maxLength,
  autoComplete = 'off',
  isExact,
  options,
  isSecret = false,
  hasFocus = false,
}: Props) {
  const { show, hide } = useModel().strings.value
  const id = useId()
  const [isShown, setShown] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (problem !== undefined) input.current?.focus()
  }, [problem])
  useEffect(() => {
    if (hasFocus) input.current?.focus()
  }, [])
  const described = problem !== undefined ? `${id}-problem` : hint !== undefined ? `${id}-hint` : undefined
  return (
    <div class="field">
      <span class="field-label">
        <label htmlFor={id}>{label}</label>
        {isSecret && (
          <button type="button" class="text-button" onClick={() => setShown(!isShown)}>
            {isShown ? hide : show}
          </button>
        )}
      </span>
      <input
        id={id}
        ref={input}
        type={(isSecret && !isShown ? 'password' : 'text') as 'text'} // the types know no list for a password
        dir="auto"
        class={isExact ? 'exact' : undefined}
        value={value}
        maxLength={maxLength}
        autoComplete={autoComplete}
        autoCapitalize={isExact ? 'none' : undefined}
        spellcheck={isExact ? false : undefined}
        list={options === undefined ? undefined : `${id}-options`}
        aria-describedby={described}
        aria-invalid={problem !== undefined || undefined}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {options !== undefined && (
        <datalist id={`${id}-options`}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
      {problem !== undefined ? (
        <p id={`${id}-problem`} class="field-problem">
          {problem}
        </p>
      ) : (
        hint !== undefined && (
          <p id={`${id}-hint`} class="field-hint">
            {hint}
          </p>
        )
      )}
    </div>
  )
}
