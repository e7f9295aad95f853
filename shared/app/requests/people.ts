import { comparePersonCode, markVerified } from '../contact/mark-verified.ts'
import type { Deps } from '../deps.ts'
import type { EngineHands } from '../requests.ts'
import { lookedAt } from '../transparency/looked-at.ts'
import type { HandlersOf } from './handlers.ts'

/** K-11, K-13: what a person says of others, and of what was found. */
export type PeopleRequests = {
  markVerified: { args: { id: string; verified: boolean }; reply: null }
  comparePersonCode: { args: { id: string; code: string }; reply: boolean }
  lookedAt: { args: { id: string }; reply: null }
}

export const peopleHandlers: HandlersOf<PeopleRequests> = {
  markVerified: async (deps, hands, { id, verified }) => {
    await hands.turn('realm', () => markVerified(deps, id, verified))
    tell(deps, hands)
    return null
  },
  comparePersonCode: async (deps, hands, { id, code }) => {
    const matches = await hands.turn('realm', () => comparePersonCode(deps, id, code))
    if (matches) tell(deps, hands)
    return matches
  },
  lookedAt: async (deps, hands, { id }) => {
    await hands.turn('realm', () => lookedAt(deps, id))
    deps.changes.announce({ what: 'people' })
    for (const { key } of await deps.store.list('syncs')) hands.kick(String(key)) // what was held back goes on
    return null
  },
}

function tell(deps: Deps, hands: EngineHands): void {
  deps.changes.announce({ what: 'people' })
  hands.logNoted({ books: true })
}
