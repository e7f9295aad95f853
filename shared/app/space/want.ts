import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { placeOf } from '#core/message/roster.ts'
import { dropOffers, sameWanted, withoutWanted } from '../channel/wanted.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { wantPeople } from '../group/take-for.ts'
import type { OfferRecord, Wanted } from '../ports/records.ts'

const KEY_BYTES = 9

/**
 * Puts changes beside those that wait in a channel (GRP1), in its turn. What is wanted of the same person or address otherwise is no
 * longer. Whoever came in meanwhile needs no second key package.
 * @returns whether there is anything to do
 */
export async function want(
  deps: Deps,
  id: string,
  more: readonly Wanted[],
  taken: readonly OfferRecord[] = [],
): Promise<boolean> {
  const [channel, sync] = await Promise.all([deps.store.get('channels', id), deps.store.get('syncs', id)])
  if (channel === undefined || sync === undefined || channel.left !== undefined || channel.leaving) return false
  const draft = new Draft(deps.store)
  const isWaiting = ({ account }: OfferRecord) =>
    sync.wanted.some((one) => one.want === 'person' && equalBytes(one.account, account))
  const coming = taken.filter((offer) => placeOf(sync, offer.account) === undefined && !isWaiting(offer))
  const all = [...more, ...wantPeople(draft, coming, () => toBase64url(deps.dice(KEY_BYTES)))]
  const fresh = all.filter((one) => !sync.wanted.some((other) => sameWanted(one, other)))
  if (fresh.length === 0) return false
  const isOver = (one: Wanted): boolean => fresh.some((other) => takesPlaceOf(other, one))
  dropOffers(draft, sync.wanted.filter(isOver))
  draft.put('syncs', id, { ...sync, wanted: [...sync.wanted.filter((one) => !isOver(one)), ...fresh] })
  await draft.commit()
  return true
}

/** Takes back what waits in a channel, in its turn, with the key packages that lie beside it. */
export async function wantNoMore(
  { store }: Pick<Deps, 'store'>,
  id: string,
  isOver: (wanted: Wanted) => boolean,
): Promise<void> {
  const sync = await store.get('syncs', id)
  const over = sync?.wanted.filter(isOver) ?? []
  if (sync === undefined || over.length === 0) return
  const draft = new Draft(store)
  dropOffers(draft, over)
  draft.put('syncs', id, withoutWanted(sync, over))
  await draft.commit()
}

function takesPlaceOf(fresh: Wanted, old: Wanted): boolean {
  if (fresh.want === 'role') return old.want === 'role' && equalBytes(fresh.account, old.account)
  if (fresh.want === 'list') return old.want === 'list' && equalBytes(fresh.channel, old.channel)
  if (fresh.want === 'person') return old.want === 'exclude' && equalBytes(fresh.account, old.account)
  if (fresh.want === 'exclude') return old.want === 'person' && equalBytes(fresh.account, old.account)
  return false
}
