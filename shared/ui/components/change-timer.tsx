import type { ChannelDetails } from '#app/face.ts'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

const HOUR_MS = 60 * 60 * 1000
const CHOICES_MS = [0, HOUR_MS, 24 * HOUR_MS, 7 * 24 * HOUR_MS, 28 * 24 * HOUR_MS] as const

/** After how long messages vanish from here on, at everybody (M-04). */
export function ChangeTimer({ details }: { readonly details: ChannelDetails }) {
  const { face, read, strings, times } = useModel()
  const t = strings.value.details
  const { problem, run } = useAct()
  const choices = CHOICES_MS.some((ms) => ms === details.timerMs) ? CHOICES_MS : [...CHOICES_MS, details.timerMs]
  const choose = (timerMs: number) =>
    run(async () => {
      await face.setProfile(details.id, { timerMs })
      await read.details()
    })
  return (
    <div class="field">
      <label class="field-label" for="timer">
        {t.timerLabel}
      </label>
      <select
        id="timer"
        value={String(details.timerMs)}
        onChange={(event) => {
          choose(Number(event.currentTarget.value))
          event.currentTarget.value = String(details.timerMs) // it changes when the change is ordered
        }}
      >
        {choices.map((ms) => (
          <option key={ms} value={String(ms)}>
            {ms === 0 ? t.timerOff : times.value.span(ms)}
          </option>
        ))}
      </select>
      <p class="hint">{t.timerHint}</p>
      <ProblemLine problem={problem} />
    </div>
  )
}
