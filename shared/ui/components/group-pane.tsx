import { useEffect, useState } from 'preact/hooks'
import { Field } from './field.tsx'
import { PaneHead } from './pane-head.tsx'
import { PeoplePicks } from './people-picks.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

export const MAX_TITLE = 64

/** A conversation of many: a name, and who is in it from the first moment (C-01). */
export function GroupPane() {
  const { face, people, read, shell, strings } = useModel()
  const t = strings.value.newGroup
  const { isBusy, problem, run } = useAct()
  const [title, setTitle] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [missing, setMissing] = useState<'name' | 'people'>()
  useEffect(() => {
    read.people()
  }, [])
  const make = () => {
    const lacks = title.trim() === '' ? 'name' : chosen.size === 0 ? 'people' : undefined
    setMissing(lacks)
    if (lacks !== undefined) return
    run(async () => {
      const { channelId } = await face.createGroup({ title: title.trim(), members: [...chosen] })
      await read.channels()
      shell.router.go({ at: 'channel', channelId }, { replace: true })
    })
  }
  const known = (people.value ?? []).filter((person) => !person.blocked)
  return (
    <section class="pane" aria-label={t.title}>
      <PaneHead title={t.title} />
      {people.value !== undefined && known.length === 0 ? (
        <div class="pane-body">
          <p>{t.nobody}</p>
          <div class="acts">
            <button type="button" class="button primary" onClick={() => shell.router.go({ at: 'invite' })}>
              {strings.value.list.invite}
            </button>
          </div>
        </div>
      ) : (
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
            problem={missing === 'name' ? t.nameMissing : undefined}
          />
          <PeoplePicks people={known} chosen={chosen} onChoose={setChosen} />
          <div role="alert">{missing === 'people' && <p class="field-problem">{t.nobodyChosen}</p>}</div>
          <ProblemLine problem={problem} />
          <div class="acts">
            <button type="submit" class="button primary" aria-disabled={isBusy}>
              {isBusy ? t.making : t.make}
            </button>
          </div>
        </form>
      )}
    </section>
  )
}
