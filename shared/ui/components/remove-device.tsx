import type { DeviceView } from '#app/face.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { useModel } from './use-model.ts'

type Props = { readonly device: DeviceView; readonly onClose: () => void }

/** Revoke, rotate, end its session: offered as one act, and said before it (K-07, K-08). */
export function RemoveDevice({ device, onClose }: Props) {
  const { face, read, strings } = useModel()
  const t = strings.value.devices
  const remove = async () => {
    await face.revokeDevice(device.id)
    await read.devices()
    onClose()
  }
  const title = t.removeTitle(device.name === '' ? t.nameless : device.name)
  return (
    <ConfirmDialog title={title} act={t.removeAct} isDanger onAct={remove} onClose={onClose}>
      <p>{t.removeLead}</p>
      <ol>
        {t.removeSteps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p class="risk">{t.removeStays}</p>
    </ConfirmDialog>
  )
}
