import type { Deps } from '../deps.ts'
import { type Wrong, withAlarms } from './alarms.ts'
import { readTransparency } from './record.ts'

/** Tells the person what was found. Runs in the turn 'realm'. */
export async function raise(deps: Pick<Deps, 'store' | 'clock' | 'changes'>, found: readonly Wrong[]): Promise<void> {
  const before = await readTransparency(deps.store)
  const record = withAlarms(before, found, deps.clock.now())
  if (record === before) return
  await deps.store.write([{ put: 'meta', key: 'transparency', record }])
  deps.changes.announce({ what: 'people' })
}
