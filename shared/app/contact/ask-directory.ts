import { CryptoError, StateError, WireError } from '#core/errors.ts'
import { checkManifest } from '#core/identity/manifest.ts'
import type { Deps } from '../deps.ts'
import type { ContactRecord } from '../ports/records.ts'
import { type Wrong, wrong } from '../transparency/alarms.ts'

/** What the realm says of a contact: nothing that is not known, a newer manifest, or what is not to be believed (K-12). */
export type DirectoryAnswer =
  | { readonly is: 'known' }
  | { readonly is: 'unknown' } // to the realm
  | { readonly is: 'newer'; readonly manifest: Uint8Array; readonly sequence: number }
  | { readonly is: 'wrong'; readonly wrong: Wrong }

export async function askDirectory(
  { relay }: Pick<Deps, 'relay'>,
  contact: Pick<ContactRecord, 'account' | 'manifest' | 'sequence'>,
): Promise<DirectoryAnswer> {
  const { account } = contact
  const { manifest } = await relay.call('account.get', { account })
  if (manifest === undefined) return { is: 'unknown' }
  try {
    const { sequence } = await checkManifest(manifest, account, contact)
    return sequence > contact.sequence ? { is: 'newer', manifest, sequence } : { is: 'known' }
  } catch (error) {
    // K-12: another root, another manifest of one number, a device that was revoked. None of it takes the place of what is known.
    if (error instanceof CryptoError || error instanceof WireError) {
      return { is: 'wrong', wrong: wrong('key-swap', account, manifest) }
    }
    if (error instanceof StateError) return { is: 'wrong', wrong: wrong('rollback', account, manifest) }
    throw error
  }
}

/** The record with what the directory had, where that is newer than what the record has by now. */
export function withNewer(now: ContactRecord, answer: DirectoryAnswer): ContactRecord {
  if (answer.is !== 'newer' || answer.sequence <= now.sequence) return now
  return { ...now, manifest: answer.manifest, sequence: answer.sequence }
}
