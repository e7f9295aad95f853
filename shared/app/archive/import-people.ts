import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { CryptoError, WireError } from '#core/errors.ts'
import { checkManifest, type Manifest } from '#core/identity/manifest.ts'
import type { AccountId } from '#core/wire/ids.ts'
import { findContact } from '../contact/find-contact.ts'
import { readSettings } from '../log/settings.ts'
import type { ArchiveLine } from './archive-line.ts'
import type { Importing } from './import-batch.ts'

const KEY_BYTES = 9

/** Only people who are not known here, by a manifest that their own root has signed: nobody is replaced (K-12). */
export async function importContact(
  { deps, draft, own }: Importing,
  { account, name, manifest }: Extract<ArchiveLine, { type: 'profile' | 'contact' }>,
): Promise<void> {
  if (equalBytes(account, own.account) || (await findContact(deps.store, account)) !== undefined) return
  const checked = await readManifest(manifest, account)
  if (checked === undefined) return
  draft.put('contacts', toBase64url(deps.dice(KEY_BYTES)), { account, name, manifest, sequence: checked.sequence })
}

/** Of an archive of this account, where nothing was chosen here yet. */
export async function importSettings(
  { draft, isOwn }: Importing,
  { values }: Extract<ArchiveLine, { type: 'settings' }>,
): Promise<void> {
  if (!isOwn || (await draft.get('settings', 'settings')) !== undefined) return
  draft.put('settings', 'settings', readSettings(values))
}

async function readManifest(manifest: Uint8Array, account: AccountId): Promise<Manifest | undefined> {
  try {
    return await checkManifest(manifest, account)
  } catch (error) {
    if (error instanceof CryptoError || error instanceof WireError) return undefined
    throw error
  }
}
