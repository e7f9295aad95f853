import { Hash, SlidersHorizontal } from 'lucide-preact'
import { useEffect, useState } from 'preact/hooks'
import type { ChannelView } from '#app/face.ts'
import { withSpaces } from '../state/space-list.ts'
import { DetailsJoins } from './details-joins.tsx'
import { DetailsLeave } from './details-leave.tsx'
import { DetailsMembers } from './details-members.tsx'
import { DetailsWaiting } from './details-waiting.tsx'
import { Field } from './field.tsx'
import { MAX_TITLE } from './group-pane.tsx'
import { PaneHead } from './pane-head.tsx'
import { ProblemLine } from './problem-line.tsx'
import { StepLink } from './step-link.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'
import './settings-pane.css'
import './details-pane.css'

/** A space: its channels, who is in it, and what may be done with it (C-10). Named by the id of its home. */
export function SpacePane({ channelId }: { readonly channelId: string }) {
  const { channels, details, people, read, strings } = useModel()
  const t = strings.value.spaces
  useEffect(() => {
    read.details(channelId)
    if (people.peek() === undefined) read.people()
  }, [channelId])
  const home = channels.value?.find(({ id, space }) => id === channelId && space?.id === id)
  const now = details.value?.id === channelId ? details.value : undefined
  if (home === undefined) {
    return (
      <section class="pane" aria-label={t.title}>
        <PaneHead title={t.title} of={channelId} />
        {channels.value !== undefined && <p class="notice">{strings.value.conversation.missing}</p>}
      </section>
    )
  }
  const isIn = home.left === undefined && home.request === undefined
  return (
    <section class="pane settings" aria-label={t.title}>
      <PaneHead title={home.title} of={channelId} />
      {now !== undefined && (
        <div class="pane-body">
          {now.topic !== '' && <p dir="auto">{now.topic}</p>}
          <Channels home={home} mayRename={isIn && now.can.profile} />
          {isIn && now.space?.mayChange === true && <AddChannel home={home} />}
          <DetailsWaiting details={now} />
          <DetailsJoins details={now} isIn={isIn} />
          <DetailsMembers details={now} isIn={isIn} />
          {home.left === undefined && <DetailsLeave details={now} />}
        </div>
      )}
    </section>
  )
}

function Channels({ home, mayRename }: { readonly home: ChannelView; readonly mayRename: boolean }) {
  const { channels, strings, times } = useModel()
  const t = strings.value.spaces
  const all = channels.value ?? []
  const [space] = withSpaces(
    all.filter((channel) => channel.space?.id === home.id),
    all,
  )
  const own = space?.is === 'space' ? space.channels : []
  return (
    <>
      <h2>{t.channels(times.value.count(own.length))}</h2>
      <ul class="steps">
        {own.map(({ id, title, unread }) => (
          <li key={id}>
            <StepLink
              to={{ at: 'channel', channelId: id }}
              label={id === home.id ? t.general : title}
              hint={unread > 0 ? strings.value.list.unread(unread) : ''}
              icon={<Hash size={20} />}
            />
          </li>
        ))}
        {mayRename && (
          <li>
            <StepLink
              to={{ at: 'details', channelId: home.id }}
              label={strings.value.details.edit}
              icon={<SlidersHorizontal size={20} />}
            />
          </li>
        )}
      </ul>
    </>
  )
}

function AddChannel({ home }: { readonly home: ChannelView }) {
  const { announce, face, read, strings } = useModel()
  const t = strings.value.spaces
  const { isBusy, problem, run } = useAct()
  const [title, setTitle] = useState('')
  const [isMissing, setMissing] = useState(false)
  const add = () => {
    const name = title.trim()
    setMissing(name === '')
    if (name === '') return
    run(async () => {
      await face.addToSpace(home.id, { title: name })
      await read.channels()
      announce(t.added(name))
      setTitle('')
    })
  }
  return (
    <form
      class="settings-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        add()
      }}
    >
      <Field
        label={t.channelName}
        value={title}
        onInput={setTitle}
        hint={t.addLead}
        maxLength={MAX_TITLE}
        problem={isMissing ? t.channelMissing : undefined}
      />
      <ProblemLine problem={problem} />
      <button type="submit" class="button" aria-disabled={isBusy}>
        {isBusy ? t.adding : t.add}
      </button>
    </form>
  )
}
