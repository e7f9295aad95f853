import { useEffect } from 'preact/hooks'
import type { ChannelView } from '#app/face.ts'
import { DetailsJoins } from './details-joins.tsx'
import { DetailsKeys } from './details-keys.tsx'
import { DetailsLeave } from './details-leave.tsx'
import { DetailsMembers } from './details-members.tsx'
import { DetailsProfile } from './details-profile.tsx'
import { DetailsQuiet } from './details-quiet.tsx'
import { DetailsSpace } from './details-space.tsx'
import { DetailsWaiting } from './details-waiting.tsx'
import { later } from './later.tsx'
import { PaneHead } from './pane-head.tsx'
import { useModel } from './use-model.ts'
import './settings-pane.css'
import './details-pane.css'

const ChangeTimer = later(async () => (await import('./change-timer.tsx')).ChangeTimer)

/** What a conversation is, who is in it, and what may be done here (C-04, C-13). Slides over it where there is room. */
export function DetailsPane({ channel }: { readonly channel: ChannelView }) {
  const { details, people, read, shell, strings } = useModel()
  const t = strings.value.details
  useEffect(() => {
    read.details(channel.id)
    if (people.peek() === undefined) read.people()
  }, [channel.id])
  const now = details.value?.id === channel.id ? details.value : undefined
  const isIn = channel.left === undefined && channel.request === undefined
  return (
    <section
      class="pane settings details"
      aria-label={t.title}
      onKeyDown={(event) => {
        const isTaken = (event.target as HTMLElement).closest('dialog, input, select') !== null
        if (event.key === 'Escape' && !isTaken) shell.router.back()
      }}
    >
      <PaneHead title={t.title} of={channel.id} />
      {now !== undefined && (
        <div class="pane-body">
          <DetailsProfile details={now} mayChange={isIn && now.can.profile} />
          <DetailsWaiting details={now} />
          <DetailsSpace details={now} isIn={isIn} />
          {now.kind === 'group' && <DetailsJoins details={now} isIn={isIn} />}
          {now.kind !== 'notes' && <DetailsMembers details={now} isIn={isIn} />}
          {isIn && (now.can.profile || now.kind === 'direct') && <ChangeTimer details={now} />}
          <DetailsQuiet channel={channel} />
          {isIn && now.keys !== undefined && <DetailsKeys channelId={channel.id} keys={now.keys} />}
          {channel.left === undefined && <DetailsLeave details={now} />}
        </div>
      )}
    </section>
  )
}
