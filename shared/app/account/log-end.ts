import { firstLogHead } from '#core/channel/log-chain.ts'
import { StateError } from '#core/errors.ts'
import { generationOf, type KeyRing, newest } from '#core/keys/key-ring.ts'
import { endsOf, followLog } from '#core/log/follow.ts'
import type { Address } from '#core/wire/ids.ts'
import type { Place } from '#core/wire/operations.ts'
import type { Deps } from '../deps.ts'

/**
 * Where the log ends now, by its chain from where this device knows it: what the relay says alone would let it move the end
 * of a generation (KRG3). @throws StateError 'log/unpulled' while rows are missing that only a page can stand for
 */
export async function logEnd(deps: Pick<Deps, 'relay' | 'store'>, ring: KeyRing, address: Address): Promise<Place> {
  const log = await deps.store.get('meta', 'log')
  const ends = endsOf(ring, address)
  let place: Place =
    log?.kind === 'log' ? { position: log.position, head: log.head } : { position: 0, head: firstLogHead(address) }
  for (;;) {
    const token = newest(ring).logToken
    const { entries, more } = await deps.relay.call('log.fetch', { address, token, after: place.position })
    const followed = followLog(place, entries, ends)
    if (followed.gaps.length > 0) throw new StateError('log/unpulled')
    place = followed.place
    if (!more) return place
  }
}

/** Where the relay says that the log ends, by the token of a generation that is good there. */
export async function logPlace(
  deps: Pick<Deps, 'relay'>,
  ring: KeyRing,
  generation: number,
  address: Address,
): Promise<Place> {
  const known = generationOf(ring, generation)
  if (known === undefined) throw new StateError('vault/generation')
  return (await deps.relay.call('log.back', { address, token: known.logToken, before: 0 })).last
}
