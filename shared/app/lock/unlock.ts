import { wipe } from '#core/bytes/wipe.ts'
import type { Deps } from '../deps.ts'
import { type LockKey, openSecret } from './lock-door.ts'

/** Opens the lock for every context of the origin. @throws InputError 'lock/wrong' */
export async function unlock({ store }: Pick<Deps, 'store'>, key: LockKey): Promise<void> {
  const lock = await store.lock()
  if (lock === undefined) return
  const secret = await openSecret(lock, key)
  await store.unlock(lock, secret)
  wipe(secret)
}
