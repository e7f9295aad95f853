import { equalBytes } from '#core/bytes/equal.ts'
import { readRealm } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import type { TransparencyRecord } from '../ports/records.ts'
import { type Wrong, wrong } from './alarms.ts'

type Pinned = { readonly record: TransparencyRecord; readonly listKey: Uint8Array }
type NotPinned = { readonly record: TransparencyRecord; readonly wrong: Wrong }

/**
 * The key by which the realm signs heads of its log: the first that it named to this device, over a connection that is the
 * realm's own by its pinned key (T-01). Another one later, or none, is no change of keys that anybody could check (TRC11).
 */
export async function pinListKey(
  { store }: Pick<Deps, 'store'>,
  record: TransparencyRecord,
): Promise<Pinned | NotPinned> {
  const said = (await readRealm(store))?.listKey
  const listKey = record.listKey ?? said
  if (said === undefined || listKey === undefined) return { record, wrong: wrong('unsigned', undefined, 'no key') }
  if (!equalBytes(said, listKey)) return { record, wrong: wrong('unsigned', undefined, said) }
  return { record: record.listKey === undefined ? { ...record, listKey } : record, listKey }
}
