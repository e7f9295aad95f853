import { equalBytes } from '#core/bytes/equal.ts'
import type { AccountId } from '#core/wire/ids.ts'
import { readAccount } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { leave } from '../group/leave.ts'
import { queueBodies } from '../message/queue-bodies.ts'
import type { AccountRecord, ChannelRecord, OfferRecord, SyncRecord, Wanted } from '../ports/records.ts'
import type { EngineHands } from '../requests.ts'
import { type Home, homesIn, isWithin, lists, namedBy, type Part, partsIn } from './agreement.ts'
import { differences } from './differences.ts'
import { takeMember } from './take-member.ts'
import { want } from './want.ts'

export type SpaceHands = Pick<EngineHands, 'turn' | 'kick'> & {
  /** All that the relay has told of so far is applied (SPC5). */
  isCurrent(id: string): boolean
}
/** `isLeft`: somebody could not be added now. */
export type Settled = { readonly isLeft: boolean }

type Space = {
  readonly home: Home
  readonly sync: SyncRecord | undefined
  readonly own: AccountRecord
}

/**
 * Holds a space's channels against its home as this device knows them now (SPC3 to SPC11), and wants what differs. `acts`: what others may do
 * as well, too. Runs in no channel's turn.
 */
export async function settleSpace(
  deps: Deps,
  hands: SpaceHands,
  homeId: string,
  { acts }: { readonly acts: boolean },
): Promise<Settled> {
  const [parts, own] = await Promise.all([partsIn(deps.store), readAccount(deps.store)])
  const homes = homesIn(parts)
  const home = [...homes.values()].find(({ id }) => id === homeId)
  if (home === undefined || own === undefined) return { isLeft: false }
  const space: Space = { home, sync: await deps.store.get('syncs', homeId), own }
  let isLeft = false
  for (const part of parts) {
    const isNamed = namedBy(part.channel, homes)?.id === homeId
    if (isNamed) await look(deps, hands, space, part)
    if (!acts) continue
    if (isNamed) isLeft = (await follow(deps, hands, space, part.id)) || isLeft
    else if (isTakenOut(part, home)) await listIn(deps, hands, space, part.channel, false)
  }
  return { isLeft }
}

/** What concerns this device alone, and waits for nobody. */
async function look(deps: Deps, hands: SpaceHands, { home, sync, own }: Space, { id, channel }: Part): Promise<void> {
  const isListed = lists(home, channel)
  if (!isListed) {
    if (channel.toList && channel.state === 'open') await listIn(deps, hands, { home, sync, own }, channel, true)
    return
  }
  if (channel.spaceSeen !== true) {
    const there = await deps.store.get('syncs', id)
    if (sync === undefined || there === undefined) return
    if (!isWithin({ ...channel, ...there }, { ...home.channel, ...sync })) return
  }
  if (channel.spaceSeen !== true || channel.toList) {
    await change(deps, hands, id, ({ toList: _, ...now }) => ({ ...now, spaceSeen: true }))
    deps.changes.announce({ what: 'channels' })
  }
  if (home.channel.left === 'left' || home.channel.leaving) {
    // SPC8, SPC9: whoever is not in the space any more, by their own will, is not in its channels.
    if (channel.left !== undefined || channel.leaving) return
    await hands.turn(id, () => leave(deps, id, { quietly: channel.request !== undefined, unowned: true }))
    hands.kick(id)
  } else if (channel.request !== undefined && home.channel.request === undefined && isOpen(home.channel)) {
    await hands.turn(id, () => accept(deps, id, own))
    deps.changes.announce({ what: 'channels' })
    hands.kick(id)
  }
}

/** SPC9: whoever is in the space is not asked again. */
async function accept(deps: Deps, id: string, { name }: AccountRecord): Promise<void> {
  const channel = await deps.store.get('channels', id)
  if (channel?.request === undefined) return
  const { request: _, ...accepted } = channel
  const draft = new Draft(deps.store)
  draft.put('channels', id, accepted)
  await queueBodies(deps, draft, id, [{ kind: 'name', name }])
  await draft.commit()
}

/** SPC4. @returns whether somebody could not be added now */
async function follow(deps: Deps, hands: SpaceHands, space: Space, id: string): Promise<boolean> {
  const { home, sync, own } = space
  const [channel, there] = await Promise.all([deps.store.get('channels', id), deps.store.get('syncs', id)])
  if (channel?.spaceSeen !== true || there === undefined || sync === undefined) return false
  const areCurrent = [home.id, id].every((one) => hands.isCurrent(one))
  if (!areCurrent || !lists(home, channel) || !isOpen(channel) || !isOpen(home.channel)) return false
  const differs = differences({ ...home.channel, ...sync }, { ...channel, ...there }, own.account)
  const taken: OfferRecord[] = []
  for (const account of differs.missing) {
    if (there.wanted.some((one) => one.want === 'person' && equalBytes(one.account, account))) continue
    const offer = await takeMember(deps, hands, account, sync, channel.suite)
    if (offer !== undefined) taken.push(offer)
  }
  const wanted: Wanted[] = [
    ...differs.extra.map((account) => exclusion(account)),
    ...differs.roles.map(({ account, role }): Wanted => ({ want: 'role', account, role })),
  ]
  if (wanted.length + taken.length > 0 && (await hands.turn(id, () => want(deps, id, wanted, taken)))) hands.kick(id)
  return taken.length < differs.missing.length
}

/** SPC10, SPC11: the home lists the channel, or no longer, as the channel says. */
async function listIn(
  deps: Deps,
  hands: SpaceHands,
  { home, own }: Space,
  { address }: ChannelRecord,
  listed: boolean,
): Promise<void> {
  if (address === undefined || !isOpen(home.channel) || !isMore(home.channel, own.account)) return
  const wanted: Wanted = { want: 'list', channel: address, listed }
  if (await hands.turn(home.id, () => want(deps, home.id, [wanted]))) hands.kick(home.id)
}

/** SPC11: this device saw it in the space, and it names its home no longer. */
function isTakenOut({ channel }: Part, home: Home): boolean {
  return channel.space === undefined && channel.spaceSeen === true && isOpen(channel) && lists(home, channel)
}

function exclusion(account: AccountId): Wanted {
  return { want: 'exclude', account, notBeforeMs: 0 }
}

function isOpen({ state, left, leaving, request }: ChannelRecord): boolean {
  return state === 'open' && left === undefined && leaving !== true && request === undefined
}

function isMore({ roles = [] }: ChannelRecord, own: AccountId): boolean {
  return roles.some(({ account, role }) => role !== 'member' && equalBytes(account, own))
}

async function change(
  { store }: Deps,
  { turn }: SpaceHands,
  id: string,
  make: (channel: ChannelRecord) => ChannelRecord,
): Promise<void> {
  await turn(id, async () => {
    const now = await store.get('channels', id)
    if (now !== undefined) await store.write([{ put: 'channels', key: id, record: make(now) }])
  })
}
