import { useEffect, useId, useState } from 'preact/hooks'
import { Field } from './field.tsx'
import { PaneHead } from './pane-head.tsx'
import { PeoplePicks } from './people-picks.tsx'
import { ProblemLine } from './problem-line.tsx'
import { RouteLink } from './route-link.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

export const MAX_TITLE = 64

/** A conversation of many: a name, and who is in it from the first moment (C-01). */
export function GroupPane() {
  const { face, people, read, shell, strings } = useModel()
  const t = strings.value.newGroup
  const { isBusy, problem, run } = useAct()
  const largeHint = useId()
  const [title, setTitle] = useState('')
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isLarge, setLarge] = useState(false)
  const [lacking, setLacking] = useState<'name' | 'people'>()
  useEffect(() => {
    read.people()
  }, [])
  const make = () => {
    const found = name.trim().toLowerCase()
    // A group that is found by its name may begin with nobody else in it.
    const lacks = title.trim() === '' ? 'name' : chosen.size === 0 && found === '' ? 'people' : undefined
    setLacking(lacks)
    if (lacks !== undefined) return
    run(async () => {
      const input = {
        title: title.trim(),
        members: [...chosen],
        large: isLarge,
        ...(found === '' ? {} : { name: found }),
      }
      const { channelId, missing } = await face.createGroup(input)
      await read.channels()
      // Who could not be added is named there.
      shell.router.go({ at: missing.length > 0 ? 'details' : 'channel', channelId }, { replace: true })
    })
  }
  const known = (people.value ?? []).filter((person) => !person.blocked)
  return (
    <section class="pane" aria-label={t.title}>
      <PaneHead title={t.title} />
      {people.value !== undefined && (
        <form
          class="pane-body"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            make()
          }}
        >
          <p>{t.lead}</p>
          <RouteLink to={{ at: 'newSpace' }} class="text-button">
            {strings.value.spaces.instead}
          </RouteLink>
          <Field
            label={t.name}
            value={title}
            onInput={setTitle}
            maxLength={MAX_TITLE}
            problem={lacking === 'name' ? t.nameMissing : undefined}
          />
          {known.length > 0 ? (
            <PeoplePicks people={known} chosen={chosen} onChoose={setChosen} />
          ) : (
            <>
              <p class="hint">{t.nobody}</p>
              <RouteLink to={{ at: 'invite' }} class="text-button">
                {strings.value.list.invite}
              </RouteLink>
            </>
          )}
          <Field label={t.found} hint={t.foundHint} value={name} onInput={setName} maxLength={95} isExact />
          <label class="switch">
            <input
              type="checkbox"
              checked={isLarge}
              aria-describedby={largeHint}
              onChange={(event) => setLarge(event.currentTarget.checked)}
            />
            <span>{t.large}</span>
          </label>
          <p class="hint" id={largeHint}>
            {t.largeHint}
          </p>
          <div role="alert">{lacking === 'people' && <p class="field-problem">{t.nobodyChosen}</p>}</div>
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
