import { equalBytes } from '#core/bytes/equal.ts'
import type { Deps } from '../deps.ts'
import type { SyncRecord } from '../ports/records.ts'
import { readTransparency } from '../transparency/record.ts'
import { isStopped } from './verified.ts'

/** Whether somebody of this channel is to be looked at before anything more is sent there (K-11). */
export async function holdsStopped(
  { store }: Pick<Deps, 'store'>,
  { accounts }: Pick<SyncRecord, 'accounts'>,
): Promise<boolean> {
  const { alarms } = await readTransparency(store)
  // As a rule there is nothing to look at, and contacts need not be read.
  if (!alarms.some(({ about, looked }) => about !== undefined && !looked)) return false
  const contacts = await store.list('contacts')
  return contacts.some(
    ({ record }) => accounts.some(({ account }) => equalBytes(account, record.account)) && isStopped(record, alarms),
  )
}
