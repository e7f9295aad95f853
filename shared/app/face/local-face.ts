import type { Change, Connection, Face } from '../face.ts'
import { accountActs } from './account-acts.ts'
import { conversationActs } from './conversation-acts.ts'
import { deviceActs } from './device-acts.ts'
import type { FaceDeps, FaceHands } from './face-deps.ts'
import { groupActs } from './group-acts.ts'
import { historyActs } from './history-acts.ts'
import { joinActs } from './join-acts.ts'
import { lockActs } from './lock-acts.ts'
import { peopleActs } from './people-acts.ts'
import { spaceActs } from './space-acts.ts'
import { workActs } from './work-acts.ts'

/** A face on the store of its origin: reads sealed rows itself, writes what it wants done as rows, asks for the rest. */
export function localFace(deps: FaceDeps): Face {
  const listeners = new Set<(change: Change) => void>()
  let connection: Connection = { state: 'connecting' }
  const tell = (change: Change): void => {
    for (const listener of listeners) listener(change)
  }
  const wake = async (): Promise<void> => {
    try {
      connection = await deps.bridge.request('wake', null)
      tell({ what: 'connection', connection })
    } catch {
      // No engine answers now; whichever starts next reads everything from the store.
    }
  }
  const hands: FaceHands = {
    tell,
    announce: (change) => {
      deps.changes.announce(change)
      tell(change)
    },
    wake: () => void wake(),
    connection: () => connection,
  }
  deps.changes.subscribe((change) => {
    if (change.what === 'connection') connection = change.connection
    tell(change)
  })
  // K-10: at once, whether or not there is an engine that says so.
  deps.store.onLock((state) => {
    tell({ what: 'lock' })
    tell({ what: 'account' })
    if (state === 'unlocked') hands.wake()
  })
  const face: Face = {
    connection: () => connection,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    ...accountActs(deps, hands),
    ...conversationActs(deps, hands),
    ...joinActs(deps),
    ...groupActs(deps),
    ...spaceActs(deps),
    ...historyActs(deps),
    ...peopleActs(deps),
    ...deviceActs(deps),
    ...lockActs(deps),
    ...workActs(deps, hands),
  }
  hands.wake()
  return face
}
