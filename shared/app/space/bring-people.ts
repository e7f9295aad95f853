import { equalBytes } from '#core/bytes/equal.ts'
import { CryptoError, RelayError, WireError } from '#core/errors.ts'
import type { AccountId } from '#core/wire/ids.ts'
import { readAccount } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import type { OfferRecord } from '../ports/records.ts'
import { homesIn, isOpen, namedBy, nameOf, partsIn } from './agreement.ts'
import { differences, staying } from './differences.ts'
import { type Pair, pairOf } from './pair.ts'
import type { SpaceHands } from './settle-space.ts'
import { takeMember } from './take-member.ts'
import { want } from './want.ts'

/** `isLeft`: somebody could not be added now. */
export type Brought = { readonly isLeft: boolean }

/**
 * Looks up who is in a space's home and not in one of its channels, and wants them there (SPC4, SPC6). Of many people that takes minutes,
 * so it runs in no turn for which anything waits.
 */
export async function bringPeople(deps: Deps, hands: SpaceHands, homeId: string): Promise<Brought> {
  const [parts, own] = await Promise.all([partsIn(deps.store), readAccount(deps.store)])
  if (own === undefined) return { isLeft: false }
  const homes = homesIn(parts)
  let isLeft = false
  for (const { id, channel } of parts) {
    if (namedBy(channel, homes)?.id !== homeId) continue
    const pair = await pairOf(deps, hands, homeId, id)
    if (pair !== undefined) isLeft = (await bringInto(deps, hands, { homeId, id, own: own.account }, pair)) || isLeft
  }
  return { isLeft }
}

type Place = { readonly homeId: string; readonly id: string; readonly own: AccountId }

/** @returns whether somebody could not be added now */
async function bringInto(deps: Deps, hands: SpaceHands, { homeId, id, own }: Place, pair: Pair): Promise<boolean> {
  const { missing } = differences(pair.home, pair.channel, own)
  const taken: OfferRecord[] = []
  for (const account of missing) {
    if (pair.channel.wanted.some((one) => one.want === 'person' && equalBytes(one.account, account))) continue
    const offer = await takeIfCan(deps, hands, account, pair)
    if (offer !== undefined) taken.push(offer)
  }
  if (taken.length > 0 && (await hands.turn(id, () => wantWhoStayed(deps, homeId, id, taken)))) hands.kick(id)
  return taken.length < missing.length
}

/** Each on their own: what the relay refuses of one person holds up nobody else. */
async function takeIfCan(
  deps: Deps,
  hands: SpaceHands,
  account: AccountId,
  { home, channel }: Pair,
): Promise<OfferRecord | undefined> {
  try {
    return await takeMember(deps, hands, account, home, channel.suite)
  } catch (error) {
    if (error instanceof CryptoError || error instanceof RelayError || error instanceof WireError) return undefined
    throw error
  }
}

/** Whoever was removed from the home while they were looked up does not come into the channel. */
async function wantWhoStayed(deps: Deps, homeId: string, id: string, taken: readonly OfferRecord[]): Promise<boolean> {
  const [home, sync] = await Promise.all([deps.store.get('channels', homeId), deps.store.get('syncs', homeId)])
  if (home === undefined || sync === undefined || !isOpen(home)) return false
  const here = staying({ ...home, ...sync })
  const stayed = taken.filter(({ account }) => here.has(nameOf(account)))
  return want(deps, id, [], stayed)
}
