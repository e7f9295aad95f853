import { toBase64url } from '#core/bytes/base64url.ts'
import { InputError } from '#core/errors.ts'
import type { SuiteId } from '#core/mls/index.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import { takePackages } from '../packages/take-packages.ts'
import type { ContactRecord, OfferRecord, Wanted } from '../ports/records.ts'
import type { EngineHands } from '../requests.ts'

/** Accounts in one group: what the roster and the relay hold. */
const MAX_PEOPLE = 1000

export type Taken = OfferRecord
/** `missing`: nothing lies at the realm by which these could be added. */
export type TakenFor = { readonly taken: readonly Taken[]; readonly missing: readonly AccountId[] }

/** @throws InputError 'group/too-many', 'group/unknown' for somebody who is no contact of this account */
export async function chosenOf(
  { store }: Pick<Deps, 'store'>,
  ids: readonly string[],
): Promise<readonly ContactRecord[]> {
  const wanted = new Set(ids)
  if (wanted.size > MAX_PEOPLE) throw new InputError('group/too-many')
  const contacts = (await store.list('contacts')).map(({ record }) => record)
  const chosen = contacts.filter(({ account }) => wanted.has(toBase64url(account)))
  if (chosen.length < wanted.size) throw new InputError('group/unknown')
  return chosen
}

/**
 * Key packages of that suite for each of these people.
 * @throws InputError 'group/unreachable' when nobody of them can be added
 */
export async function takeFor(
  deps: Deps,
  turn: EngineHands['turn'],
  people: readonly ContactRecord[],
  suite: SuiteId,
): Promise<TakenFor> {
  const taken: Taken[] = []
  const missing: AccountId[] = []
  for (const contact of people) {
    const offer = await takePackages(deps, turn, contact, suite)
    if (offer === undefined) missing.push(contact.account)
    else taken.push(offer)
  }
  if (taken.length === 0 && people.length > 0) throw new InputError('group/unreachable')
  return { taken, missing }
}

/** They come in by the next commit, all in one; their key packages wait beside, since nothing else gives them again. */
export function wantPeople(draft: Draft, taken: readonly Taken[], newKey: () => string): readonly Wanted[] {
  return taken.map((record) => {
    const offer = newKey()
    draft.put('offers', offer, record)
    return { want: 'person', account: record.account, offer }
  })
}
