import { useState } from 'preact/hooks'
import type { ChannelDetails } from '#app/face.ts'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

const HOUR_MS = 60 * 60 * 1000
const CHOICES_MS = [0, HOUR_MS, 24 * HOUR_MS, 7 * 24 * HOUR_MS, 28 * 24 * HOUR_MS] as const

/**
 * After how long messages vanish from here on, at everybody (M-04). Choosing is not setting: arrow keys pass through each choice,
 * and what others write under a shorter one does not come back.
 */
export function ChangeTimer({ details }: { readonly details: ChannelDetails }) {
  const { face, read, strings, times } = useModel()
  const t = strings.value.details
  const { isBusy, problem, run } = useAct()
  const [chosenMs, setChosen] = useState<number>()
  const isOther = chosenMs !== undefined && chosenMs !== details.timerMs
  const choices = CHOICES_MS.some((ms) => ms === details.timerMs) ? CHOICES_MS : [...CHOICES_MS, details.timerMs]
  const save = () =>
    run(async () => {
      if (!isOther) return
      await face.setProfile(details.id, { timerMs: chosenMs })
      await read.details()
      setChosen(undefined) // it changes when the change is ordered
    })
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <label class="field-label" for="timer">
        {t.timerLabel}
      </label>
      <select
        id="timer"
        value={String(chosenMs ?? details.timerMs)}
        onChange={(event) => setChosen(Number(event.currentTarget.value))}
      >
        {choices.map((ms) => (
          <option key={ms} value={String(ms)}>
            {ms === 0 ? t.timerOff : times.value.span(ms)}
          </option>
        ))}
      </select>
      <p class="hint">{t.timerHint}</p>
      <ProblemLine problem={problem} />
      <div class="acts">
        <button type="submit" class="button" aria-disabled={isBusy || !isOther}>
          {isBusy ? t.saving : t.setTimer}
        </button>
      </div>
    </form>
  )
}
