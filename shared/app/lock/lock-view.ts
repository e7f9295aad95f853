import type { LockView } from '../face.ts'
import type { Store } from '../ports/store.ts'

export async function lockView(store: Pick<Store, 'condition' | 'lock'>): Promise<LockView> {
  const [condition, lock] = await Promise.all([store.condition(), store.lock()])
  if (lock === undefined) return { state: 'off' }
  const state = condition === 'locked' ? 'locked' : 'unlocked'
  return { state, by: lock.door.by, afterMinutes: lock.afterMinutes }
}
