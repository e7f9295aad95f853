import { useEffect, useId, useRef } from 'preact/hooks'
import './field.css'

type Props = {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly hint?: string
  readonly problem?: string | undefined
  readonly maxLength?: number
  readonly autoComplete?: 'nickname' | 'off'
  /** Words and links: monospace, no correction by the keyboard. */
  readonly isExact?: boolean
  readonly options?: readonly string[]
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
}: Props) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (problem !== undefined) input.current?.focus()
  }, [problem])
  const described = problem !== undefined ? `${id}-problem` : hint !== undefined ? `${id}-hint` : undefined
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        ref={input}
        type="text"
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
