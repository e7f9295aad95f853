import { useState } from 'preact/hooks'
import type { ChannelDetails } from '#app/face.ts'
import { Field } from './field.tsx'
import { MAX_TITLE } from './group-pane.tsx'
import { GroupPicture } from './group-picture.tsx'
import { later } from './later.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

const MAX_TOPIC = 512
const ChangePicture = later(async () => (await import('./change-picture.tsx')).ChangePicture)

type Props = { readonly details: ChannelDetails; readonly mayChange: boolean }

/** Name, topic and picture, and the way to change the first two (C-13). */
export function DetailsProfile({ details, mayChange }: Props) {
  const { strings, times } = useModel()
  const t = strings.value.details
  const [isChanging, setChanging] = useState(false)
  if (isChanging) return <ChangeProfile details={details} onDone={() => setChanging(false)} />
  return (
    <>
      {details.avatar !== undefined && <GroupPicture class="details-picture" bytes={details.avatar} />}
      <h2>
        <bdi>{details.title}</bdi>
      </h2>
      {details.topic !== '' && (
        <p class="details-topic" dir="auto">
          {details.topic}
        </p>
      )}
      {details.timerMs > 0 && <p class="hint">{t.timer(times.value.span(details.timerMs))}</p>}
      {mayChange && details.kind === 'group' && (
        <button type="button" class="button" onClick={() => setChanging(true)}>
          {t.edit}
        </button>
      )}
      {mayChange && details.kind === 'group' && <ChangePicture details={details} />}
    </>
  )
}

type ChangeProps = { readonly details: ChannelDetails; readonly onDone: () => void }

function ChangeProfile({ details, onDone }: ChangeProps) {
  const { face, read, strings } = useModel()
  const t = strings.value
  const [title, setTitle] = useState(details.title)
  const [topic, setTopic] = useState(details.topic)
  const [isNameless, setNameless] = useState(false)
  const { isBusy, problem, run } = useAct()
  const save = () => {
    setNameless(title.trim() === '')
    if (title.trim() === '') return
    run(async () => {
      const change = {
        ...(title.trim() === details.title ? {} : { title: title.trim() }),
        ...(topic.trim() === details.topic ? {} : { topic: topic.trim() }),
      }
      if (Object.keys(change).length > 0) await face.setProfile(details.id, change)
      await read.details()
      onDone()
    })
  }
  return (
    <form
      class="settings-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <Field
        label={t.details.name}
        value={title}
        onInput={setTitle}
        maxLength={MAX_TITLE}
        problem={isNameless ? t.newGroup.nameMissing : undefined}
        hasFocus
      />
      <Field label={t.details.topic} value={topic} onInput={setTopic} maxLength={MAX_TOPIC} />
      <ProblemLine problem={problem} />
      <div class="acts">
        <button type="submit" class="button primary" aria-disabled={isBusy}>
          {isBusy ? t.details.saving : t.details.save}
        </button>
        <button type="button" class="button" onClick={onDone}>
          {t.cancel}
        </button>
      </div>
    </form>
  )
}
