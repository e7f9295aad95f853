import { Layers } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { ChannelDetails } from '#app/face.ts'
import { isolate } from '../state/say-notice.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { StepLink } from './step-link.tsx'
import { useModel } from './use-model.ts'

type Props = { readonly details: ChannelDetails; readonly isIn: boolean }

/** Which space a channel is of, and that its members are those of it (C-10). */
export function DetailsSpace({ details, isIn }: Props) {
  const { face, read, strings } = useModel()
  const t = strings.value.spaces
  const [isAsking, setAsking] = useState(false)
  const { id, space, title } = details
  if (space === undefined) return null
  const takeOut = async () => {
    await face.removeFromSpace(id)
    await read.details()
    setAsking(false)
  }
  const isHome = space.id === id
  return (
    <>
      <h2>{t.title}</h2>
      <ul class="steps">
        <li>
          <StepLink
            to={{ at: 'space', channelId: space.id }}
            label={t.of(isolate(space.title))}
            hint={isHome ? '' : t.members}
            icon={<Layers size={20} />}
          />
        </li>
      </ul>
      {isIn && !isHome && space.mayChange && (
        <button type="button" class="button" onClick={() => setAsking(true)}>
          {t.takeOut}
        </button>
      )}
      {isAsking && (
        <ConfirmDialog
          title={t.takeOutTitle(isolate(title))}
          act={t.takeOut}
          onAct={takeOut}
          onClose={() => setAsking(false)}
        >
          <p>{t.takeOutLead}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
