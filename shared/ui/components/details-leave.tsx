import { useState } from 'preact/hooks'
import type { ChannelDetails } from '#app/face.ts'
import { isolate } from '../state/say-notice.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { useModel } from './use-model.ts'

/** The way out (C-05). Whoever owns it alone hands it on first. */
export function DetailsLeave({ details }: { readonly details: ChannelDetails }) {
  const { strings } = useModel()
  const t = strings.value.details
  const [isAsking, setAsking] = useState(false)
  const { can, kind, members, myRole, request } = details
  const isLastOwner = kind === 'group' && myRole === 'owner' && members.length > 1 && request === undefined
  // Out of a channel of a space one comes with the space. A request is declined instead; a device that is not in yet has nothing to leave.
  const isOfSpace = details.space !== undefined && details.space.id !== details.id
  if (isOfSpace || (!can.leave && !isLastOwner)) return null
  const act = details.space === undefined ? t.leave : strings.value.spaces.leave
  return (
    <>
      <h2>{act}</h2>
      {can.leave ? (
        <button type="button" class="button danger" onClick={() => setAsking(true)}>
          {act}
        </button>
      ) : (
        <p class="hint">{t.lastOwner}</p>
      )}
      {isAsking && <LeaveDialog details={details} onClose={() => setAsking(false)} />}
    </>
  )
}

function LeaveDialog({ details, onClose }: { readonly details: ChannelDetails; readonly onClose: () => void }) {
  const { face, read, shell, strings } = useModel()
  const t = strings.value.details
  const leave = async () => {
    await face.leaveChannel(details.id)
    await read.channels()
    shell.router.go({ at: 'channel', channelId: details.id }, { replace: true })
  }
  const ofSpace = details.space && strings.value.spaces
  const title = ofSpace ? ofSpace.leaveTitle(isolate(details.title)) : t.leaveTitle
  return (
    <ConfirmDialog title={title} act={ofSpace?.leave ?? t.leave} isDanger onAct={leave} onClose={onClose}>
      <p>{ofSpace?.leaveLead ?? (details.kind === 'direct' ? t.leaveDirect : t.leaveLead)}</p>
    </ConfirmDialog>
  )
}
