import { useEffect, useState } from 'preact/hooks'
import { PaneHead } from './pane-head.tsx'
import { PeoplePicks } from './people-picks.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

/** People come into a group that is there (C-02): all of those who are chosen at once. */
export function AddPane({ channelId }: { readonly channelId: string }) {
  const { details, face, people, read, shell, strings } = useModel()
  const t = strings.value.details
  const { isBusy, problem, run } = useAct()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isMissing, setMissing] = useState(false)
  useEffect(() => {
    read.people()
    read.details(channelId)
  }, [channelId])
  const within = new Set(details.value?.members.map((member) => member.id))
  const others = (people.value ?? []).filter((person) => !person.blocked && !within.has(person.id))
  const add = () => {
    setMissing(chosen.size === 0)
    if (chosen.size === 0) return
    run(async () => {
      await face.addMembers(channelId, [...chosen])
      await read.details() // who could not be added is named there
      shell.router.back()
    })
  }
  return (
    <section class="pane" aria-label={t.add}>
      <PaneHead title={t.add} of={channelId} />
      <form
        class="pane-body"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          add()
        }}
      >
        <p>{others.length === 0 && people.value !== undefined ? t.everybody : t.addLead}</p>
        {others.length > 0 && (
          <>
            <PeoplePicks people={others} chosen={chosen} onChoose={setChosen} />
            <div role="alert">{isMissing && <p class="field-problem">{strings.value.newGroup.nobodyChosen}</p>}</div>
            <ProblemLine problem={problem} />
            <div class="acts">
              <button type="submit" class="button primary" aria-disabled={isBusy}>
                {isBusy ? t.adding : strings.value.details.add}
              </button>
            </div>
          </>
        )}
      </form>
    </section>
  )
}
