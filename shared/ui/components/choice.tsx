import { useId } from 'preact/hooks'
import './choice.css'

type Option<T extends string> = { readonly value: T; readonly label: string; readonly hint?: string }
type Props<T extends string> = {
  readonly label: string
  readonly hint?: string
  readonly value: T
  readonly options: readonly Option<T>[]
  readonly onChoose: (value: T) => void
}

/** One of a few, all of them in sight. */
export function Choice<T extends string>({ label, hint, value, options, onChoose }: Props<T>) {
  const name = useId()
  const hasHints = options.some((option) => option.hint !== undefined)
  return (
    <fieldset class="choice" data-column={hasHints || undefined}>
      <legend>{label}</legend>
      {hint !== undefined && <p class="hint">{hint}</p>}
      <div class="choice-options">
        {options.map((option) => (
          <label key={option.value} class="choice-option">
            <input
              type="radio"
              name={name}
              checked={option.value === value}
              aria-describedby={option.hint === undefined ? undefined : `${name}-${option.value}`}
              onChange={() => onChoose(option.value)}
            />
            <span class="choice-label">{option.label}</span>
            {option.hint !== undefined && (
              <span class="hint" id={`${name}-${option.value}`}>
                {option.hint}
              </span>
            )}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
