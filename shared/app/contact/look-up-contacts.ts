import { CryptoError, StateError, WireError } from '#core/errors.ts'
import { checkManifest } from '#core/identity/manifest.ts'
import { spread } from '../channel/spread.ts'
import type { Deps } from '../deps.ts'
import type { ContactRecord } from '../ports/records.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Asks the realm for contacts' newest manifests, each about once a day and not all at the same time: which of their devices
 * are no longer theirs (K-07).
 * @returns whether any is newer than what was known
 */
export async function lookUpContacts(deps: Deps): Promise<boolean> {
  let isNews = false
  for (const { key, record } of await deps.store.list('contacts')) {
    const now = deps.clock.now()
    const { lookUpAtMs = now + spread(deps, DAY_MS) } = record
    if (lookUpAtMs > now) {
      if (record.lookUpAtMs === undefined) await put(deps, String(key), { ...record, lookUpAtMs })
      continue
    }
    const newer = await lookUp(deps, record)
    isNews ||= newer !== undefined
    await put(deps, String(key), { ...(newer ?? record), lookUpAtMs: now + DAY_MS + spread(deps, DAY_MS / 4) })
  }
  return isNews
}

/** @returns undefined when the realm has nothing newer that is to be believed (K-05) */
export async function lookUp(deps: Pick<Deps, 'relay'>, contact: ContactRecord): Promise<ContactRecord | undefined> {
  const { manifest } = await deps.relay.call('account.get', { account: contact.account })
  if (manifest === undefined) return undefined
  try {
    const { sequence } = await checkManifest(manifest, contact.account, contact)
    return sequence > contact.sequence ? { ...contact, manifest, sequence } : undefined
  } catch (error) {
    if (error instanceof CryptoError || error instanceof StateError || error instanceof WireError) return undefined
    throw error
  }
}

async function put(deps: Deps, key: string, record: ContactRecord): Promise<void> {
  await deps.store.write([{ put: 'contacts', key, record }])
}
