import type { ChannelDetails } from '#app/face.ts'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

type Props = { readonly channelId: string; readonly keys: NonNullable<ChannelDetails['keys']> }

/** Of which kind they are, and new ones for this device here, on demand (C-01, C-08). */
export function DetailsKeys({ channelId, keys }: Props) {
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
      <p class="hint">{t.keysAre[keys]}</p>
      <p class="hint">{t.healHint}</p>
      <ProblemLine problem={problem} />
      <button type="button" class="button" aria-disabled={isBusy} onClick={heal}>
        {t.heal}
      </button>
    </>
  )
}
