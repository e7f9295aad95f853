import { Dialog } from './dialog.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

type Props = { readonly channelId: string; readonly onClose: () => void }

/** A conversation whose members saw different things goes on by one explicit act, explained before it (C-06). */
export function RepairChannel({ channelId, onClose }: Props) {
  const { face, health, read, strings } = useModel()
  const t = strings.value.repair
  const { isBusy, problem, run } = useAct()
  const repair = () =>
    run(async () => {
      await face.repairChannel(channelId)
      await Promise.all([read.channels(), ...(health.peek() === undefined ? [] : [read.health()])])
      onClose()
    })
  return (
    <Dialog title={t.title} onClose={onClose}>
      <p>{t.why}</p>
      <ol>
        {t.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p class="risk">{t.risk}</p>
      <ProblemLine problem={problem} />
      <div class="acts">
        <button type="button" class="button" aria-disabled={isBusy} onClick={repair}>
          {isBusy ? t.doing : t.act}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {strings.value.cancel}
        </button>
      </div>
    </Dialog>
  )
}
