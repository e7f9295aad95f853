import { equalBytes } from '#core/bytes/equal.ts'
import type { AccountId } from '#core/wire/ids.ts'
import { readAccount } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { leave } from '../group/leave.ts'
import { queueBodies } from '../message/queue-bodies.ts'
import type { AccountRecord, ChannelRecord, SyncRecord, Wanted } from '../ports/records.ts'
import type { EngineHands } from '../requests.ts'
import { type Home, homesIn, isOpen, isWithin, lists, namedBy, nameOf, type Part, partsIn } from './agreement.ts'
import { differences, staying } from './differences.ts'
import { pairOf } from './pair.ts'
import { want, wantNoMore } from './want.ts'

export type SpaceHands = Pick<EngineHands, 'turn' | 'kick'> & {
  /** All that the relay has told of so far is applied (SPC5). */
  isCurrent(id: string): boolean
}

type Space = {
  readonly home: Home
  readonly sync: SyncRecord | undefined
  readonly own: AccountRecord
}

/**
 * Holds a space's channels against its home as this device knows them now (SPC3 to SPC11), and wants what differs. `acts`: what others may do
 * as well, too, but for who comes in (bring-people.ts). It asks the relay nothing. Runs in no channel's turn.
 */
export async function settleSpace(
  deps: Deps,
  hands: SpaceHands,
  homeId: string,
  { acts }: { readonly acts: boolean },
): Promise<void> {
  const [parts, own] = await Promise.all([partsIn(deps.store), readAccount(deps.store)])
  const homes = homesIn(parts)
  const home = [...homes.values()].find(({ id }) => id === homeId)
  if (home === undefined || own === undefined) return
  const space: Space = { home, sync: await deps.store.get('syncs', homeId), own }
  for (const part of parts) {
    const isNamed = namedBy(part.channel, homes)?.id === homeId
    if (isNamed) await look(deps, hands, space, part)
    if (!acts) continue
    if (isNamed) await follow(deps, hands, space, part.id)
    else if (isTakenOut(part, home)) await listIn(deps, hands, space, part.channel, false)
  }
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

/** SPC4: who goes, and roles. */
async function follow(deps: Deps, hands: SpaceHands, { home, own }: Space, id: string): Promise<void> {
  const pair = await pairOf(deps, hands, home.id, id)
  if (pair === undefined) return
  const here = staying(pair.home)
  const isOver = (one: Wanted): boolean => one.want === 'person' && !here.has(nameOf(one.account))
  if (pair.channel.wanted.some(isOver)) await hands.turn(id, () => wantNoMore(deps, id, isOver))
  const { extra, roles } = differences(pair.home, pair.channel, own.account)
  const wanted: Wanted[] = [
    ...extra.map((account) => exclusion(account)),
    ...roles.map(({ account, role }): Wanted => ({ want: 'role', account, role })),
  ]
  if (wanted.length > 0 && (await hands.turn(id, () => want(deps, id, wanted)))) hands.kick(id)
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
