import type { Face } from '../face.ts'
import { askOf, type FaceDeps } from './face-deps.ts'
import { alarmViews, personPage, personViews } from './person-views.ts'

type PeopleActs = Pick<Face, 'people' | 'person' | 'markVerified' | 'comparePersonCode' | 'lookedAt' | 'alarms'>

export function peopleActs(deps: FaceDeps): PeopleActs {
  const { store, bridge } = deps
  const ask = askOf(deps)
  return {
    people: () => personViews(store),
    person: (id) => personPage(store, id),
    markVerified: (id, verified) => ask('markVerified', { id, verified }),
    comparePersonCode: (id, code) => bridge.request('comparePersonCode', { id, code }),
    lookedAt: (id) => ask('lookedAt', { id }),
    alarms: () => alarmViews(store),
  }
}
