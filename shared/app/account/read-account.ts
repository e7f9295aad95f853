import type { AccountRecord, DeviceRecord, RealmRecord } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'

export async function readAccount(store: Pick<Store, 'get'>): Promise<AccountRecord | undefined> {
  const record = await store.get('meta', 'account')
  return record?.kind === 'account' ? record : undefined
}

export async function readDevice(store: Pick<Store, 'get'>): Promise<DeviceRecord | undefined> {
  const record = await store.get('meta', 'device')
  return record?.kind === 'device' ? record : undefined
}

export async function readRealm(store: Pick<Store, 'get'>): Promise<RealmRecord | undefined> {
  const record = await store.get('meta', 'realm')
  return record?.kind === 'realm' ? record : undefined
}
