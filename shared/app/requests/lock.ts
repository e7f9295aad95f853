import type { LockKey } from '../lock/lock-door.ts'
import { type LockInput, setLock } from '../lock/set-lock.ts'
import { unlock } from '../lock/unlock.ts'
import type { HandlersOf } from './handlers.ts'

/** K-10. What needs the one writer, or seconds of work; locking and the time are each context's own (ports/lock.ts). */
export type LockRequests = {
  setLock: { args: LockInput; reply: null }
  removeLock: { args: null; reply: null }
  unlock: { args: LockKey; reply: null }
}

const LOCK = 'lock'

export const lockHandlers: HandlersOf<LockRequests> = {
  setLock: async (deps, hands, input) => {
    await hands.turn(LOCK, () => setLock(deps, input))
    deps.changes.announce({ what: 'lock' })
    return null
  },
  removeLock: async (deps, hands) => {
    await hands.turn(LOCK, () => deps.store.removeLock())
    deps.changes.announce({ what: 'lock' })
    return null
  },
  unlock: async (deps, hands, key) => {
    await hands.turn(LOCK, () => unlock(deps, key))
    return null
  },
}
