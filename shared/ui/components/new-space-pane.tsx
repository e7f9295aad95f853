import { useEffect, useState } from 'preact/hooks'
import { Field } from './field.tsx'
import { MAX_TITLE } from './group-pane.tsx'
import { PaneHead } from './pane-head.tsx'
import { PeoplePicks } from './people-picks.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

/** Several channels for the same people: a name, and who is in it from the first moment (C-10). */
export function NewSpacePane() {
  const { face, people, read, shell, strings } = useModel()
  const t = strings.value.spaces
  const { isBusy, problem, run } = useAct()
  const [title, setTitle] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isMissing, setMissing] = useState(false)
  useEffect(() => {
    read.people()
  }, [])
  const make = () => {
    setMissing(title.trim() === '')
    if (title.trim() === '') return
    run(async () => {
      const { channelId } = await face.createSpace({ title: title.trim(), members: [...chosen] })
      await read.channels()
      shell.router.go({ at: 'space', channelId }, { replace: true })
    })
  }
  const known = (people.value ?? []).filter((person) => !person.blocked)
  return (
    <section class="pane" aria-label={t.new}>
      <PaneHead title={t.new} />
      <form
        class="pane-body"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          make()
        }}
      >
        <p>{t.lead}</p>
        <Field
          label={t.name}
          value={title}
          onInput={setTitle}
          maxLength={MAX_TITLE}
          problem={isMissing ? t.nameMissing : undefined}
        />
        {known.length > 0 && <PeoplePicks people={known} chosen={chosen} onChoose={setChosen} />}
        <p class="hint">{t.alone}</p>
        <ProblemLine problem={problem} />
        <div class="acts">
          <button type="submit" class="button primary" aria-disabled={isBusy}>
            {isBusy ? t.making : t.make}
          </button>
        </div>
      </form>
    </section>
  )
}
