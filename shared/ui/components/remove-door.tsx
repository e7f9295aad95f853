import type { DoorView } from '#app/face.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { useModel } from './use-model.ts'

type Props = { readonly door: DoorView; readonly onClose: () => void }

export function RemoveDoor({ door, onClose }: Props) {
  const { face, read, strings } = useModel()
  const t = strings.value.doors
  const remove = async () => {
    await face.removeDoor(door.id)
    await read.doors()
    onClose()
  }
  const title = t.removeTitle(door.name === '' ? t.kinds[door.kind] : door.name)
  return (
    <ConfirmDialog title={title} act={t.removeAct} isDanger onAct={remove} onClose={onClose}>
      <p>{t.removeLead}</p>
    </ConfirmDialog>
  )
}
