import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

/** New keys for this device here, on demand (C-08). */
export function DetailsKeys({ channelId }: { readonly channelId: string }) {
  const { face, read, strings } = useModel()
  const t = strings.value.details
  const { isBusy, problem, run } = useAct()
  const heal = () =>
    run(async () => {
      await face.healChannel(channelId)
      await read.details()
    })
  return (
    <>
      <h2>{t.keys}</h2>
      <p class="hint">{t.healHint}</p>
      <ProblemLine problem={problem} />
      <button type="button" class="button" aria-disabled={isBusy} onClick={heal}>
        {t.heal}
      </button>
    </>
  )
}
