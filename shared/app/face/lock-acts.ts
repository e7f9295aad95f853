import type { Face } from '../face.ts'
import { askForLock, askToUnlock } from '../lock/ask-lock.ts'
import { lockView } from '../lock/lock-view.ts'
import { askOf, type FaceDeps } from './face-deps.ts'

type LockActs = Pick<Face, 'lock' | 'setLock' | 'removeLock' | 'lockNow' | 'unlock' | 'touch'>

export function lockActs(deps: FaceDeps): LockActs {
  const { store } = deps
  const ask = askOf(deps)
  return {
    lock: () => lockView(store),
    setLock: (choice) => askForLock(deps, choice),
    removeLock: () => ask('removeLock', null),
    lockNow: () => store.lockNow(),
    unlock: (key) => askToUnlock(deps, key),
    touch: () => store.touch(),
  }
}
