import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { InputError } from '#core/errors.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import type { ContactRecord, RequestRecord } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'
import { changeContact, putContact } from './find-contact.ts'
import { readPersonId } from './mark-verified.ts'

/** M-11: what they say is kept and not shown, and what they ask for or bring is passed over. @throws InputError 'person/unknown' */
export async function setBlocked(deps: Deps, id: string, is: boolean): Promise<void> {
  const blocked = { is, atMs: deps.clock.now() }
  const account = readPersonId(id)
  if (await changeContact(deps, account, (contact) => ({ ...contact, blocked }))) return
  const request = is ? await requestOf(deps.store, account) : undefined
  if (request === undefined) throw new InputError('person/unknown')
  const stranger = { ...request, blocked }
  const draft = new Draft(deps.store)
  await putContact(deps, draft, stranger)
  await draft.commit()
}

/** Who asks is no contact; blocked, they become one, so that it can be taken back. */
async function requestOf(store: Pick<Store, 'list'>, account: AccountId): Promise<RequestRecord | undefined> {
  const asked = (await store.list('channels')).map(({ record }) => record.request)
  return asked.find((request) => request !== undefined && equalBytes(request.account, account))
}

export function isBlocked(contact: Pick<ContactRecord, 'blocked'> | undefined): boolean {
  return contact?.blocked?.is === true
}

/** Accounts that are, by their ids. */
export async function blockedAccounts(store: Pick<Store, 'list'>): Promise<ReadonlySet<string>> {
  const contacts = await store.list('contacts')
  return new Set(contacts.flatMap(({ record }) => (isBlocked(record) ? [toBase64url(record.account)] : [])))
}

/** Conversations of two with somebody who is. */
export async function blockedChannels(store: Pick<Store, 'list'>): Promise<ReadonlySet<string>> {
  const accounts = await blockedAccounts(store)
  if (accounts.size === 0) return accounts
  const [channels, syncs] = await Promise.all([store.list('channels'), store.list('syncs')])
  const direct = new Set(channels.flatMap(({ key, record }) => (record.kind === 'direct' ? [String(key)] : [])))
  const isWith = ({ accounts: places }: (typeof syncs)[number]['record']): boolean =>
    places.some(({ account }) => accounts.has(toBase64url(account)))
  return new Set(syncs.flatMap(({ key, record }) => (direct.has(String(key)) && isWith(record) ? [String(key)] : [])))
}

const held = new WeakMap<object, Promise<ReadonlySet<string>>>()

/** Of one effect in the making: contacts are read once for it, however many messages it takes in. */
export function blockedWhile(effect: object, store: Pick<Store, 'list'>): Promise<ReadonlySet<string>> {
  const known = held.get(effect) ?? blockedAccounts(store)
  held.set(effect, known)
  return known
}
