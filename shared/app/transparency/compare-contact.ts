import type { ClaimedManifest } from '#core/message/body.ts'
import { askDirectory, withNewer } from '../contact/ask-directory.ts'
import { changeContactAt } from '../contact/find-contact.ts'
import type { Deps } from '../deps.ts'
import type { ContactRecord } from '../ports/records.ts'
import { type Wrong, wrong } from './alarms.ts'
import { claimOf, compareManifest } from './compare-manifest.ts'

export type ComparedContact = { readonly found: readonly Wrong[]; readonly isNews: boolean }

/**
 * What a contact says of their own manifest (TRC4). A newer one than is known here, the directory has to have: nobody is
 * shown one that it did not take (MAN11).
 */
export async function compareContact(
  deps: Deps,
  key: string,
  contact: ContactRecord,
  said: ClaimedManifest,
): Promise<ComparedContact> {
  const { account } = contact
  const compared = compareManifest(claimOf(contact), said)
  if (compared === 'other') return { found: [wrong('key-swap', account, said.hash)], isNews: false }
  if (compared !== 'ahead') return { found: [], isNews: false }
  const answer = await askDirectory(deps, contact)
  if (answer.is === 'wrong') return { found: [answer.wrong], isNews: false }
  if (answer.is !== 'newer') return { found: [wrong('withheld', account, said)], isNews: false }
  await changeContactAt(deps, key, (now) => withNewer(now, answer))
  switch (compareManifest(claimOf(answer), said)) {
    case 'ahead':
      return { found: [wrong('withheld', account, said)], isNews: true }
    case 'other':
      return { found: [wrong('key-swap', account, said.hash)], isNews: true }
    default:
      return { found: [], isNews: true }
  }
}
