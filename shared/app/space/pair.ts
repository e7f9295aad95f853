import type { Deps } from '../deps.ts'
import type { ChannelRecord, SyncRecord } from '../ports/records.ts'
import { isOpen, lists } from './agreement.ts'

/** A space's home and one of its channels, with who is in them. */
export type Pair = { readonly home: ChannelRecord & SyncRecord; readonly channel: ChannelRecord & SyncRecord }
type Current = {
  /** All that the relay has told of so far is applied (SPC5). */
  isCurrent(id: string): boolean
}

/** As they are known now; undefined where the channel does not follow the home, or not yet (SPC2, SPC5). */
export async function pairOf(
  { store }: Pick<Deps, 'store'>,
  { isCurrent }: Current,
  homeId: string,
  id: string,
): Promise<Pair | undefined> {
  const [home, channel] = await Promise.all([homeId, id].map((one) => store.get('channels', one)))
  const [ofHome, ofChannel] = await Promise.all([homeId, id].map((one) => store.get('syncs', one)))
  if (channel?.spaceSeen !== true || ofChannel === undefined || ofHome === undefined) return undefined
  if (home?.space?.is !== 'home' || !lists(home.space, channel)) return undefined
  const areTheRest = [home, channel].every(isOpen) && [homeId, id].every(isCurrent)
  return areTheRest ? { home: { ...home, ...ofHome }, channel: { ...channel, ...ofChannel } } : undefined
}
