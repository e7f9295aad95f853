import { useId, useState } from 'preact/hooks'
import { useModel } from './use-model.ts'
import './backup-pane.css'

type Props = {
  readonly words: readonly string[]
  readonly wrong: number | undefined
  readonly complete: (typed: string) => readonly string[]
  readonly onWrite: (place: number, text: string) => void
  readonly onEnter: () => void
}

/** Twenty-four numbered fields; a space goes on to the next one, and a pasted phrase fills them all. */
export function WordFields({ words, wrong, complete, onWrite, onEnter }: Props) {
  const t = useModel().strings.value.restore
  const id = useId()
  const [at, setAt] = useState(-1)
  return (
    <>
      <ol class="phrase words" translate={false} lang="en" dir="ltr">
        {words.map((word, place) => (
          <li key={place}>
            <span class="phrase-number" aria-hidden="true">
              {place + 1}
            </span>
            <label class="sr-only" htmlFor={`${id}-${place}`}>
              {t.word(place + 1)}
            </label>
            <input
              id={`${id}-${place}`}
              type="text"
              value={word}
              autoComplete="off"
              autoCapitalize="none"
              spellcheck={false}
              maxLength={400}
              enterkeyhint={place + 1 < words.length ? 'next' : 'done'}
              list={at === place ? `${id}-options` : undefined}
              aria-invalid={wrong === place || undefined}
              onFocus={() => setAt(place)}
              onInput={(event) => onWrite(place, event.currentTarget.value)}
              onPaste={(event) => {
                const text = event.clipboardData?.getData('text') ?? ''
                if (!/\s/u.test(text.trim())) return
                event.preventDefault() // a field of one line would join the lines of a list
                onWrite(place, text)
              }}
              onKeyDown={(event) => {
                if (event.key === 'Enter') {
                  event.preventDefault()
                  if (words.every((each) => each !== '')) onEnter()
                  else onWrite(place, `${word} `)
                }
                if (event.key === ' ' && word === '') event.preventDefault()
              }}
            />
          </li>
        ))}
      </ol>
      <datalist id={`${id}-options`}>
        {complete(words[at] ?? '').map((option) => (
          <option key={option} value={option} />
        ))}
      </datalist>
    </>
  )
}
