import { useState } from 'preact/hooks'
import type { PersonView } from '#app/face.ts'
import { findPeople } from '../state/find-people.ts'
import { Field } from './field.tsx'
import { useModel } from './use-model.ts'
import './choice.css'
import './people-picks.css'

type Props = {
  readonly people: readonly PersonView[]
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (chosen: ReadonlySet<string>) => void
}

const FIND_FROM = 8

/** Several people out of those this account knows. Who shares a name with another shows a fingerprint. */
export function PeoplePicks({ people, chosen, onChoose }: Props) {
  const { strings, times } = useModel()
  const t = strings.value.newGroup
  const [wanted, setWanted] = useState('')
  const found = findPeople(people, wanted)
  const choose = (id: string, isChosen: boolean) => {
    const next = new Set(chosen)
    if (isChosen) next.add(id)
    else next.delete(id)
    onChoose(next)
  }
  return (
    <fieldset class="choice picks">
      <legend>{t.people}</legend>
      {people.length >= FIND_FROM && <Field label={t.find} value={wanted} onInput={setWanted} />}
      {found.map((person) => (
        <label key={person.id} class="switch">
          <input
            type="checkbox"
            checked={chosen.has(person.id)}
            onChange={(event) => choose(person.id, event.currentTarget.checked)}
          />
          <bdi>{person.name}</bdi>
          {person.sameName && <span class="hint exact">{person.fingerprint.slice(0, 10)}</span>}
        </label>
      ))}
      <p class="hint" role="status">
        {found.length === 0 ? t.nobodyFound : chosen.size > 0 ? t.chosen(times.value.count(chosen.size)) : ''}
      </p>
    </fieldset>
  )
}
