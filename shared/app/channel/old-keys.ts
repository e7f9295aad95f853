import { forgetPast, pastUntilMs } from '#core/mls/index.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { type Loaded, saveGroup } from './loaded.ts'

/** C-08: what opens messages of past epochs goes when its time is over, with or without another commit (HEAL4). */
export async function dropOldKeys(deps: Deps, loaded: Loaded): Promise<Loaded> {
  const untilMs = pastUntilMs(loaded.group)
  if (untilMs === undefined || deps.clock.now() < untilMs) return loaded
  const { next: group, spent } = forgetPast(loaded.group, deps.clock.now())
  // Outer keys open nothing without the epochs that they are for.
  const keys = pastUntilMs(group) === undefined ? loaded.sync.keys.slice(-1) : loaded.sync.keys
  const sync = { ...loaded.sync, keys }
  const draft = new Draft(deps.store)
  saveGroup(draft, loaded.id, group, loaded.group)
  draft.put('syncs', loaded.id, sync)
  draft.spend(spent)
  await draft.commit()
  return { ...loaded, group, sync }
}
