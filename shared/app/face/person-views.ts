import { toBase64url } from '#core/bytes/base64url.ts'
import { InputError } from '#core/errors.ts'
import { fingerprint } from '#core/identity/fingerprint.ts'
import { encodeSafetyCode, safetyNumber } from '#core/identity/safety-number.ts'
import { readAccount } from '../account/read-account.ts'
import { isBlocked } from '../contact/block.ts'
import { isStopped, isVerified, openAlarms, plainName } from '../contact/verified.ts'
import type { AlarmView, PersonPage, PersonView } from '../face.ts'
import type { Store } from '../ports/store.ts'
import { proofText } from '../transparency/proof-text.ts'
import { readTransparency } from '../transparency/record.ts'

/** Whom this account knows, by name (K-11). */
export async function personViews(store: Pick<Store, 'get' | 'list'>): Promise<readonly PersonView[]> {
  const [contacts, { alarms }] = await Promise.all([store.list('contacts'), readTransparency(store)])
  const count = new Map<string, number>()
  for (const { record } of contacts) {
    const name = plainName(record.name)
    count.set(name, (count.get(name) ?? 0) + 1)
  }
  const views = contacts.map(({ record }): PersonView => {
    const { account, name, verified } = record
    const [problem] = openAlarms(alarms, record)
    return {
      id: toBase64url(account),
      name,
      fingerprint: fingerprint(account),
      verified: isVerified(record),
      ...(verified?.is ? { verifiedAtMs: verified.atMs } : {}),
      sameName: (count.get(plainName(name)) ?? 0) > 1,
      ...(problem === undefined ? {} : { problem: { kind: problem.kind, atMs: problem.atMs } }),
      stopped: isStopped(record, alarms),
      ...(isBlocked(record) ? { blocked: true } : {}),
    }
  })
  return views.sort((a, b) => a.name.localeCompare(b.name))
}

/** @throws InputError 'person/unknown' */
export async function personPage(store: Pick<Store, 'get' | 'list'>, id: string): Promise<PersonPage> {
  const [own, contacts, views] = await Promise.all([readAccount(store), store.list('contacts'), personViews(store)])
  const contact = contacts.find(({ record }) => toBase64url(record.account) === id)?.record
  const view = views.find((one) => one.id === id)
  if (own === undefined || contact === undefined || view === undefined) throw new InputError('person/unknown')
  return {
    ...view,
    safetyNumber: safetyNumber(own.account, contact.account),
    code: toBase64url(encodeSafetyCode(own.account, contact.account)),
  }
}

/** What was found wrong with the realm's directory, the newest first (K-13). */
export async function alarmViews(store: Pick<Store, 'get' | 'list'>): Promise<readonly AlarmView[]> {
  const [own, contacts, { alarms, listKey }] = await Promise.all([
    readAccount(store),
    store.list('contacts'),
    readTransparency(store),
  ])
  const nameOf = new Map(contacts.map(({ record }) => [toBase64url(record.account), record.name]))
  const ownId = own && toBase64url(own.account)
  return alarms.toReversed().map(({ kind, about, atMs, looked, twoLogs }) => {
    const id = about === undefined ? 'realm' : toBase64url(about)
    const proof = twoLogs && listKey && { proof: proofText(twoLogs, listKey) }
    return {
      about: id === ownId ? 'own' : id,
      name: nameOf.get(id) ?? '',
      kind,
      atMs,
      looked: looked === true,
      ...proof,
    }
  })
}
