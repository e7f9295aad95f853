import type { DeviceView } from '#app/face.ts'
import { Dialog } from './dialog.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

type Props = { readonly device: DeviceView; readonly onClose: () => void }

/** Revoke, rotate, end its session: offered as one act, and said before it (K-07, K-08). */
export function RemoveDevice({ device, onClose }: Props) {
  const { face, read, strings } = useModel()
  const t = strings.value.devices
  const { isBusy, problem, run } = useAct()
  const remove = () =>
    run(async () => {
      await face.revokeDevice(device.id)
      await read.devices()
      onClose()
    })
  return (
    <Dialog title={t.removeTitle(device.name === '' ? t.nameless : device.name)} onClose={onClose}>
      <p>{t.removeLead}</p>
      <ol>
        {t.removeSteps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p class="risk">{t.removeStays}</p>
      <ProblemLine problem={problem} />
      <div class="acts">
        <button type="button" class="button danger" aria-disabled={isBusy} onClick={remove}>
          {t.removeAct}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {strings.value.cancel}
        </button>
      </div>
    </Dialog>
  )
}
