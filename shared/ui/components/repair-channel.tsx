import { ConfirmDialog } from './confirm-dialog.tsx'
import { useModel } from './use-model.ts'

type Props = { readonly channelId: string; readonly onClose: () => void }

/** A conversation whose members saw different things goes on by one explicit act, explained before it (C-06). */
export function RepairChannel({ channelId, onClose }: Props) {
  const { face, health, read, strings } = useModel()
  const t = strings.value.repair
  const repair = async () => {
    await face.repairChannel(channelId)
    await Promise.all([read.channels(), ...(health.peek() === undefined ? [] : [read.health()])])
    onClose()
  }
  return (
    <ConfirmDialog title={t.title} act={t.act} doing={t.doing} onAct={repair} onClose={onClose}>
      <p>{t.why}</p>
      <ol>
        {t.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p class="risk">{t.risk}</p>
    </ConfirmDialog>
  )
}
