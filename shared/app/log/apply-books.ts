import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { CryptoError, StateError, WireError } from '#core/errors.ts'
import { checkManifest } from '#core/identity/manifest.ts'
import type { Dated, DeltaOf } from '#core/log/delta.ts'
import { readAccount } from '../account/read-account.ts'
import { theirsUpTo } from '../channel/unread.ts'
import { findContact } from '../contact/find-contact.ts'
import type { ContactRecord, LoggedRecord } from '../ports/records.ts'
import type { RowKey } from '../ports/store.ts'
import { contactDelta, PROFILE, readDelta, SETTINGS, settingsDelta } from './current-books.ts'
import { bookHash } from './note-books.ts'
import { readSettings } from './settings.ts'
import { type Applying, settleBook } from './settle-book.ts'

const KEY_BYTES = 9

/** K-05 holds here too: a device that was revoked may have written anything before. */
export async function applyContact(applying: Applying, remote: Dated<DeltaOf<'contact'>>): Promise<void> {
  const { deps, draft, own } = applying
  const { account, manifest } = remote.delta
  if (equalBytes(account, own.account.account)) return
  const known = await findContact(deps.store, account)
  const held = known && ((await draft.get('contacts', known.key)) ?? known.record)
  try {
    const checked = await checkManifest(manifest, account)
    if (checked.sequence !== remote.delta.sequence) return
    if (checked.sequence === held?.sequence) await checkManifest(manifest, account, held)
  } catch (error) {
    if (error instanceof CryptoError || error instanceof StateError || error instanceof WireError) return
    throw error
  }
  const key = known?.key ?? toBase64url(deps.dice(KEY_BYTES))
  const { name, sequence, verified, blocked, ...settled } = await settleBook(
    applying,
    ['contact', key],
    held && contactDelta(held),
    remote,
  )
  const record: ContactRecord = { account, name, manifest: settled.manifest, sequence }
  draft.put('contacts', key, { ...held, ...record, ...(verified && { verified }), ...(blocked && { blocked }) })
}

/** Read on one device is read on all. The count of lines is this device's own, up to the same place. */
export async function applyRead(applying: Applying, channelId: string, remote: Dated<DeltaOf<'read'>>): Promise<void> {
  const { draft } = applying
  const [read, channel] = [await draft.get('reads', channelId), await draft.get('channels', channelId)]
  const { order } = await settleBook(applying, ['read', channelId], read && readDelta(channel, read), remote)
  if (order <= (read?.order ?? -1)) return
  const theirs = await theirsUpTo(draft, channelId, order)
  draft.put('reads', channelId, { order, theirs: Math.max(read?.theirs ?? 0, theirs) })
}

export async function applySettings(applying: Applying, remote: Dated<DeltaOf<'settings'>>): Promise<void> {
  const { draft } = applying
  const local = await draft.get('settings', 'settings')
  const { values } = await settleBook(applying, SETTINGS, local && settingsDelta(local), remote)
  const settings = { ...local, ...readSettings(values) }
  draft.put('settings', 'settings', settings)
  // What a later version's device set, and this one does not know, is no change of this one's own.
  const logged = await draft.get('logged', SETTINGS)
  if (logged !== undefined) draft.put('logged', SETTINGS, { ...logged, hash: bookHash(settingsDelta(settings)) })
}

export async function applyProfile(applying: Applying, remote: Dated<DeltaOf<'profile'>>): Promise<void> {
  const { deps, draft } = applying
  const account = await readAccount(deps.store)
  if (account === undefined) return
  const local = account.name === '' ? undefined : ({ kind: 'profile', at: 0, name: account.name } as const)
  const { name } = await settleBook(applying, PROFILE, local, remote)
  if (name !== account.name) draft.put('meta', 'account', { ...account, name })
}

/** Devices of the account, as they call themselves: for the page that lists them, and to shut the mailbox of a lost one (K-07). @returns whether it is new */
export async function applyDevice(applying: Applying, remote: Dated<DeltaOf<'device'>>): Promise<boolean> {
  const { deps, draft } = applying
  const rows = await draft.list('logged', { of: 'device' })
  const known = rows.find(({ record }) => record.device && equalBytes(record.device.deviceId, remote.delta.deviceId))
  const key: RowKey = known?.key ?? ['device', toBase64url(deps.dice(KEY_BYTES))]
  const local = known?.record.device && ({ kind: 'device', at: 0, ...known.record.device } as const)
  const { kind: _, at: __, ...device } = await settleBook(applying, key, local, remote)
  const logged = (await draft.get('logged', key)) as LoggedRecord
  draft.put('logged', key, { ...logged, device })
  return known === undefined
}
