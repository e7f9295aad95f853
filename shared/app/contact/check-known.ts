import { CryptoError } from '#core/errors.ts'
import { checkManifest } from '#core/identity/manifest.ts'
import type { Deps } from '../deps.ts'
import type { ContactRecord } from '../ports/records.ts'
import { wrong } from '../transparency/alarms.ts'
import { raise } from '../transparency/raise.ts'

/**
 * A manifest by which somebody who is known introduces themselves anew. One that contradicts what is known is refused, and
 * the person is told (K-12). Runs in the turn 'realm'.
 * @throws as checkManifest
 */
export async function checkKnown(deps: Deps, contact: ContactRecord, manifest: Uint8Array): Promise<void> {
  try {
    await checkManifest(manifest, contact.account, contact)
  } catch (error) {
    if (error instanceof CryptoError) await raise(deps, [wrong('key-swap', contact.account, manifest)])
    throw error
  }
}
