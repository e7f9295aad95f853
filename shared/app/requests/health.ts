import { setArchived, setMuted } from '../channel/quiet.ts'
import { repairFork } from '../channel/repair-fork.ts'
import { setBlocked } from '../contact/block.ts'
import type { Deps } from '../deps.ts'
import type { Muted } from '../face.ts'
import type { EngineHands } from '../requests.ts'
import type { HandlersOf } from './handlers.ts'

/** C-06: what a person does about a channel that is not as it should be. M-11: who and what is heard of. */
export type HealthRequests = {
  repairChannel: { args: { channelId: string }; reply: null }
  setMuted: { args: { channelId: string; muted: Muted | false }; reply: null }
  setArchived: { args: { channelId: string; archived: boolean }; reply: null }
  setBlocked: { args: { id: string; blocked: boolean }; reply: null }
}

export const healthHandlers: HandlersOf<HealthRequests> = {
  repairChannel: async (deps, hands, { channelId }) => {
    await hands.turn(channelId, () => repairFork(deps, channelId))
    deps.changes.announce({ what: 'channels' })
    hands.kick(channelId)
    return null
  },
  setMuted: async (deps, hands, { channelId, muted }) => {
    await hands.turn(channelId, () => setMuted(deps, channelId, muted))
    return told(deps, hands)
  },
  setArchived: async (deps, hands, { channelId, archived }) => {
    await hands.turn(channelId, () => setArchived(deps, channelId, archived))
    return told(deps, hands)
  },
  setBlocked: async (deps, hands, { id, blocked }) => {
    await hands.turn('realm', () => setBlocked(deps, id, blocked))
    deps.changes.announce({ what: 'people' })
    for (const { key } of await deps.store.list('channels')) {
      deps.changes.announce({ what: 'lines', channelId: String(key) })
    }
    return told(deps, hands)
  },
}

/** The account's other devices hear of it by its log. */
async function told(deps: Deps, hands: EngineHands): Promise<null> {
  deps.changes.announce({ what: 'channels' })
  hands.logNoted({ books: true })
  await hands.tellUnread()
  return null
}
