import { accountOf } from '../account/settle-manifest.ts'
import { readPersonId } from '../contact/mark-verified.ts'
import type { Deps } from '../deps.ts'
import { isAbout } from './alarms.ts'
import { readTransparency } from './record.ts'

/**
 * The person has seen what was found. Of the realm as a whole: from here on its log is taken as it shows it now, since it
 * will never again go on from what this device knew.
 */
export async function lookedAt(deps: Deps, id: string): Promise<void> {
  const about = id === 'realm' ? undefined : id === 'own' ? (await accountOf(deps)).account : readPersonId(id)
  const before = await readTransparency(deps.store)
  const alarms = before.alarms.map((alarm) => (isAbout(alarm, about) ? { ...alarm, looked: true as const } : alarm))
  const { head: _, listKey: __, ...anew } = { ...before, ownUpTo: 0 }
  const record = { ...(about === undefined ? anew : before), alarms }
  await deps.store.write([{ put: 'meta', key: 'transparency', record }])
}
