import { toBase64url } from '#core/bytes/base64url.ts'
import { InputError } from '#core/errors.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import { takePackages } from '../packages/take-packages.ts'
import type { OfferRecord, Wanted } from '../ports/records.ts'
import type { EngineHands } from '../requests.ts'

/** Accounts in one group: what the roster and the relay hold. */
const MAX_PEOPLE = 1000

export type Taken = OfferRecord

/**
 * Key packages for each of these people, who are this account's contacts.
 * @throws InputError 'group/unknown' for somebody who is none; 'group/unreachable' when nobody of them can be added
 */
export async function takeFor(
  deps: Deps,
  turn: EngineHands['turn'],
  ids: readonly string[],
): Promise<readonly Taken[]> {
  const wanted = new Set(ids)
  if (wanted.size > MAX_PEOPLE) throw new InputError('group/too-many')
  const contacts = (await deps.store.list('contacts')).map(({ record }) => record)
  const chosen = contacts.filter(({ account }) => wanted.has(toBase64url(account)))
  if (chosen.length < wanted.size) throw new InputError('group/unknown')
  const taken: Taken[] = []
  for (const contact of chosen) {
    const offer = await takePackages(deps, turn, contact)
    if (offer !== undefined) taken.push(offer)
  }
  if (taken.length === 0 && wanted.size > 0) throw new InputError('group/unreachable')
  return taken
}

/** They come in by the next commit, all in one; their key packages wait beside, since nothing else gives them again. */
export function wantPeople(draft: Draft, taken: readonly Taken[], newKey: () => string): readonly Wanted[] {
  return taken.map((record) => {
    const offer = newKey()
    draft.put('offers', offer, record)
    return { want: 'person', account: record.account, offer }
  })
}
