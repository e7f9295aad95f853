import { TriangleAlert, UserRound } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import type { PersonView } from '#app/face.ts'
import type { Strings } from '../strings/en.ts'
import { PaneHead } from './pane-head.tsx'
import { ProblemLine } from './problem-line.tsx'
import { StepLink } from './step-link.tsx'
import { useModel } from './use-model.ts'

/** Everybody this account knows; only exceptions and what was verified are said. */
export function PeoplePane() {
  const { people, problem, read, shell, strings } = useModel()
  const t = strings.value.people
  useEffect(() => {
    read.people()
  }, [])
  return (
    <section class="pane" aria-label={t.title}>
      <PaneHead title={t.title} />
      <div class="pane-body">
        <p>{people.value?.length === 0 ? t.nobody : t.lead}</p>
        <ProblemLine problem={problem.value} />
        {people.value !== undefined && people.value.length > 0 && (
          <ul class="steps">
            {people.value.map((person) => (
              <li key={person.id} data-testid="person">
                <StepLink
                  to={{ at: 'person', personId: person.id }}
                  label={person.name}
                  hint={hintOf(t, person)}
                  icon={person.problem === undefined ? <UserRound size={20} /> : <TriangleAlert size={20} />}
                />
              </li>
            ))}
          </ul>
        )}
        <div class="acts">
          <button type="button" class="button" onClick={() => shell.router.go({ at: 'invite' })}>
            {strings.value.list.invite}
          </button>
        </div>
      </div>
    </section>
  )
}

function hintOf(t: Strings['people'], person: PersonView): string {
  if (person.problem !== undefined) return t.kinds[person.problem.kind]
  if (person.blocked) return t.blocked
  if (person.verified) return t.verified
  return person.sameName ? person.fingerprint.slice(0, 10) : ''
}
