import type { MemberView } from '#app/face.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { useModel } from './use-model.ts'

type Props = {
  readonly member: MemberView
  readonly channelId: string
  readonly isSpace?: boolean
  readonly onClose: () => void
}

/** What removing does and what it can't undo, said before it (C-05). */
export function RemoveMember({ member, channelId, isSpace = false, onClose }: Props) {
  const { face, read, strings } = useModel()
  const t = strings.value.details
  const remove = async () => {
    await face.removeMember(channelId, member.id)
    await read.details()
    onClose()
  }
  const title = t.removeTitle(member.name === '' ? t.unknown : member.name)
  return (
    <ConfirmDialog title={title} act={isSpace ? t.remove : t.removeAct} isDanger onAct={remove} onClose={onClose}>
      <p>{isSpace ? strings.value.spaces.removeLead : t.removeLead}</p>
      <p class="risk">{t.removeStays}</p>
    </ConfirmDialog>
  )
}
