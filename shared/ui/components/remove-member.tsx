import type { MemberView } from '#app/face.ts'
import { Dialog } from './dialog.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

type Props = { readonly member: MemberView; readonly channelId: string; readonly onClose: () => void }

/** What removing does and what it can't undo, said before it (C-05). */
export function RemoveMember({ member, channelId, onClose }: Props) {
  const { face, read, strings } = useModel()
  const t = strings.value.details
  const { isBusy, problem, run } = useAct()
  const remove = () =>
    run(async () => {
      await face.removeMember(channelId, member.id)
      await read.details()
      onClose()
    })
  return (
    <Dialog title={t.removeTitle(member.name === '' ? t.unknown : member.name)} onClose={onClose}>
      <p>{t.removeLead}</p>
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
