import type { DoorView } from '#app/face.ts'
import { Dialog } from './dialog.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

type Props = { readonly door: DoorView; readonly onClose: () => void }

export function RemoveDoor({ door, onClose }: Props) {
  const { face, read, strings } = useModel()
  const t = strings.value.doors
  const { isBusy, problem, run } = useAct()
  const remove = () =>
    run(async () => {
      await face.removeDoor(door.id)
      await read.doors()
      onClose()
    })
  return (
    <Dialog title={t.removeTitle(door.name === '' ? t.kinds[door.kind] : door.name)} onClose={onClose}>
      <p>{t.removeLead}</p>
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
