import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { InputError } from '#core/errors.ts'
import { MAX_SPACE_CHANNELS, type SuiteId } from '#core/mls/index.ts'
import type { Address } from '#core/wire/ids.ts'
import { readAccount, readDevice } from '../account/read-account.ts'
import { makeChannel, newChannelId } from '../channel/make-channel.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { titleOf } from '../group/create-group.ts'
import { wantPeople } from '../group/take-for.ts'
import type { ChannelRecord, OfferRecord, SyncRecord } from '../ports/records.ts'
import type { EngineHands } from '../requests.ts'
import { partsIn } from './agreement.ts'
import { takeMember } from './take-member.ts'

type NewChannel = {
  readonly spaceId: string
  readonly title: string
  readonly id?: string | undefined // by whoever asks, so that asking again makes no second one
}

/**
 * A new channel of a space: a group with the home's roles from the start and its members by the first commit. Once that is ordered the home
 * is to list it (SPC10).
 * @throws InputError 'group/title', 'group/not-allowed', 'space/full', 'channel/unknown'
 */
export async function addChannel(
  deps: Deps,
  hands: Pick<EngineHands, 'turn'>,
  { spaceId, title, id = newChannelId(deps) }: NewChannel,
): Promise<string> {
  const name = titleOf(title)
  if ((await deps.store.get('channels', id)) !== undefined) return id
  const home = await homeOf(deps, spaceId)
  const taken: OfferRecord[] = []
  for (const { account } of home.sync.accounts) {
    if (equalBytes(account, home.own)) continue
    const offer = await takeMember(deps, hands, account, home.sync, home.channel.suite)
    if (offer !== undefined) taken.push(offer)
  }
  await hands.turn(id, () => make(deps, id, name, home, taken))
  return id
}

type Home = {
  readonly channel: ChannelRecord
  readonly sync: SyncRecord
  readonly address: Address
  readonly own: Uint8Array
}

/** Of this account's channels, the one that is that space's home, where it may add to it. */
async function homeOf(deps: Deps, spaceId: string): Promise<Home> {
  const [channel, sync, account, parts] = await Promise.all([
    deps.store.get('channels', spaceId),
    deps.store.get('syncs', spaceId),
    readAccount(deps.store),
    partsIn(deps.store),
  ])
  if (channel?.space?.is !== 'home' || sync === undefined || account === undefined) {
    throw new InputError('channel/unknown')
  }
  const { address, state, left, leaving, request, roles = [], space } = channel
  const mine = roles.find((one) => equalBytes(one.account, account.account))
  // While its own first commit is on its way, whoever made it is alone in it: the members follow the home's epochs (SPC4).
  const isIn = state === 'open' || state === 'joining'
  const isOut = !isIn || left !== undefined || leaving === true || request !== undefined
  if (address === undefined || isOut || mine === undefined) throw new InputError('group/not-allowed')
  const coming = parts.filter(
    (part) =>
      part.channel.toList && part.channel.space?.is === 'channel' && equalBytes(part.channel.space.home, address),
  )
  if (space.channels.length + coming.length >= MAX_SPACE_CHANNELS) throw new InputError('space/full')
  return { channel, sync, address, own: account.account }
}

async function make(deps: Deps, id: string, title: string, home: Home, taken: readonly OfferRecord[]): Promise<void> {
  if ((await deps.store.get('channels', id)) !== undefined) return
  const [account, device] = await Promise.all([readAccount(deps.store), readDevice(deps.store)])
  if (account === undefined || device === undefined) throw new InputError('identity/none')
  const draft = new Draft(deps.store)
  const wanted = wantPeople(draft, taken, () => toBase64url(deps.dice(9)))
  const suite: SuiteId | undefined = home.channel.suite
  await makeChannel(deps, draft, account, device, {
    id,
    kind: 'group',
    ...(suite === undefined ? {} : { suite }),
    title,
    owners: [account.account],
    roles: home.channel.roles ?? [],
    wanted,
    space: { is: 'channel', home: home.address },
  })
  const made = await draft.get('channels', id)
  if (made !== undefined) draft.put('channels', id, { ...made, toList: true, spaceSeen: true })
  await draft.commit()
}
