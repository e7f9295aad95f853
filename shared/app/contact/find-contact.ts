import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import type { ContactRecord } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'

const KEY_BYTES = 9

/** Contacts lie under keys that say nothing: a row key is readable on the disk, an account id is a person. */
export async function findContact(
  store: Pick<Store, 'list'>,
  account: AccountId,
): Promise<{ readonly key: string; readonly record: ContactRecord } | undefined> {
  const found = (await store.list('contacts')).find(({ record }) => equalBytes(record.account, account))
  return found && { key: String(found.key), record: found.record }
}

/**
 * What is new of a contact; what the person said of them stays (K-12), and so does a later manifest than what comes has (PPL3).
 * Runs in the turn 'realm'.
 */
export async function putContact(
  deps: Deps,
  draft: Draft,
  record: Pick<ContactRecord, 'account' | 'name' | 'manifest' | 'sequence'>,
): Promise<void> {
  const known = await findContact(deps.store, record.account)
  const { manifest, sequence } = known !== undefined && known.record.sequence >= record.sequence ? known.record : record
  const key = known?.key ?? toBase64url(deps.dice(KEY_BYTES))
  draft.put('contacts', key, { ...known?.record, ...record, manifest, sequence })
}

/** On the record as it is now, not as it was before something was waited for. @returns false when there is none */
export async function changeContact(
  deps: Pick<Deps, 'store'>,
  account: AccountId,
  change: (record: ContactRecord) => ContactRecord,
): Promise<boolean> {
  const known = await findContact(deps.store, account)
  return known !== undefined && changeContactAt(deps, known.key, change)
}

export async function changeContactAt(
  deps: Pick<Deps, 'store'>,
  key: string,
  change: (record: ContactRecord) => ContactRecord,
): Promise<boolean> {
  const now = await deps.store.get('contacts', key)
  if (now === undefined) return false
  await deps.store.write([{ put: 'contacts', key, record: change(now) }])
  return true
}
