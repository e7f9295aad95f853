import { isVerified, plainName } from '../contact/verified.ts'
import type { Deps } from '../deps.ts'
import type { ContactRecord } from '../ports/records.ts'
import { type Wrong, wrong } from './alarms.ts'
import { raise } from './raise.ts'

/** K-12: whoever has the name of a verified person and another root is another person, and nothing is sent until that was looked at. */
export async function noteSameNames(deps: Deps): Promise<void> {
  const contacts = await deps.store.list('contacts')
  await raise(deps, sameNames(contacts.map(({ record }) => record)))
}

function sameNames(contacts: readonly ContactRecord[]): Wrong[] {
  const verified = new Map(contacts.filter(isVerified).map((contact) => [plainName(contact.name), contact.account]))
  return contacts.flatMap((contact) => {
    const other = isVerified(contact) ? undefined : verified.get(plainName(contact.name))
    return other === undefined ? [] : [wrong('same-name', contact.account, other)]
  })
}
