import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import type { Introduction } from '#core/message/introduction.ts'
import type { WakeLabel } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import { noteClaimed } from '../join/note-claimed.ts'
import type { Asker } from '../ports/join-records.ts'

/** What an introduction answers: an invitation of this device that is open, or a key package that it has left (INT8). */
export type Answered = {
  readonly by: 'invitation' | 'package'
  readonly keyPackage: Uint8Array
  readonly secret: Uint8Array
  readonly label: WakeLabel
  readonly isKept: boolean // a last resort opens other welcomes too, until it is replaced (MLS10)
  /** It is used up, in the transaction that joins. */
  settle(draft: Draft, channelId: string, person: Asker): void
}

export async function findAnswered(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  introduction: Pick<Introduction, 'invitation' | 'keyPackage'>,
): Promise<Answered | undefined> {
  const { invitation: id, keyPackage: ref } = introduction
  if (id !== undefined) {
    const key = toBase64url(id)
    const invitation = await store.get('invitations', key)
    if (invitation?.state !== 'open') return undefined
    const { keyPackage, keyPackageSecret: secret, label } = invitation
    const settle = (draft: Draft, channelId: string, person: Asker): void => {
      draft.put('invitations', key, { ...invitation, state: 'used', keyPackageSecret: new Uint8Array(), channelId })
      noteClaimed({ clock }, draft, key, invitation, person)
    }
    return { by: 'invitation', keyPackage, secret, label, isKept: false, settle }
  }
  const row = ref && (await store.list('packages')).find(({ record }) => equalBytes(record.ref, ref))
  if (row === undefined) return undefined
  const { key, record } = row
  const { keyPackage, secret, label, lastResort } = record
  const settle = (draft: Draft): void =>
    lastResort ? draft.put('packages', key, { ...record, used: true }) : draft.delete('packages', key)
  return { by: 'package', keyPackage, secret, label, isKept: lastResort === true, settle }
}
