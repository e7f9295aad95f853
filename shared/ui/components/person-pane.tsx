import { BadgeCheck } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import type { PersonPage } from '#app/face.ts'
import { inGroups } from '../state/in-groups.ts'
import { BlockPerson } from './block-person.tsx'
import { PaneHead } from './pane-head.tsx'
import { PersonProblem } from './person-problem.tsx'
import { PersonVerify } from './person-verify.tsx'
import { useModel } from './use-model.ts'
import './settings-pane.css'
import './person-pane.css'

/** Who this is, whether that was verified, and what was found wrong (K-11, K-12, K-13). */
export function PersonPane({ personId }: { readonly personId: string }) {
  const { people, person, read, strings } = useModel()
  const t = strings.value.people
  useEffect(() => {
    read.people()
    read.person(personId)
  }, [personId])
  const now = person.value?.id === personId ? person.value : undefined
  const isMissing = now === undefined && people.value?.every(({ id }) => id !== personId) === true
  return (
    <section class="pane settings person" aria-label={now?.name ?? t.title}>
      <PaneHead title={now?.name ?? t.title} of={now === undefined ? '' : personId} />
      <div class="pane-body">
        {isMissing && <p>{t.missing}</p>}
        {now !== undefined && <Person key={now.id} person={now} />}
      </div>
    </section>
  )
}

function Person({ person }: { readonly person: PersonPage }) {
  const { strings, times } = useModel()
  const t = strings.value.people
  return (
    <>
      <PersonProblem person={person} />
      <p class="person-state" data-verified={person.verified || undefined}>
        {person.verified && <BadgeCheck size={16} />}
        {!person.verified && t.notVerified}
        {person.verified &&
          (person.verifiedAtMs === undefined ? t.verified : t.verifiedOn(times.value.full(person.verifiedAtMs)))}
      </p>
      <dl class="facts">
        <dt>{t.fingerprint}</dt>
        <dd class="exact">{inGroups(person.fingerprint, 5)}</dd>
      </dl>
      {person.sameName && <p class="risk">{t.sameName}</p>}
      <PersonVerify person={person} />
      <BlockPerson person={person} />
    </>
  )
}
