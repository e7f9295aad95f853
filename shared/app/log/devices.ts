import type { LoggedDevice } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'

/** The account's devices as each last told the log of itself; the manifest says which of them count (K-05). */
export async function listLoggedDevices(store: Pick<Store, 'list'>): Promise<readonly LoggedDevice[]> {
  return (await store.list('logged', { of: 'device' })).flatMap(({ record }) => record.device ?? [])
}
