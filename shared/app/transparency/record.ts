import type { TransparencyRecord } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'

const NOTHING: TransparencyRecord = { kind: 'transparency', ownUpTo: 0, own: [], waiting: [], alarms: [] }

export async function readTransparency(store: Pick<Store, 'get'>): Promise<TransparencyRecord> {
  const record = await store.get('meta', 'transparency')
  return record?.kind === 'transparency' ? record : NOTHING
}
