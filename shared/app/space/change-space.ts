import { InputError } from '#core/errors.ts'
import { accountOf } from '../account/settle-manifest.ts'
import { roleIn } from '../channel/follow-group.ts'
import { loadChannel } from '../channel/loaded.ts'
import type { Deps } from '../deps.ts'
import { removePerson } from '../group/change-group.ts'
import { checkOwned, leave } from '../group/leave.ts'
import type { EngineHands } from '../requests.ts'
import { homeIdOf, homeOf, homesIn, partsIn } from './agreement.ts'
import { want } from './want.ts'

type Hands = Pick<EngineHands, 'turn' | 'kick'>

/** SPC7: where members and roles of a channel are changed. */
export async function membersAt({ store }: Pick<Deps, 'store'>, id: string): Promise<string> {
  return (await homeIdOf(store, id)) ?? id
}

/** SPC8: out of all of the space's channels too, at once. What this account can't do there follows by others (SPC4). */
export async function removeEverywhere(deps: Deps, hands: Hands, homeId: string, person: string): Promise<void> {
  for (const id of await channelsOf(deps, homeId)) {
    try {
      await hands.turn(id, () => removePerson(deps, id, person))
      hands.kick(id)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
    }
  }
}

/** SPC8. @throws InputError 'channel/last-owner', 'space/leave-whole' for a channel of a space by itself */
export async function leavePlace(deps: Deps, hands: Hands, id: string): Promise<void> {
  if ((await homeIdOf(deps.store, id)) !== undefined) throw new InputError('space/leave-whole')
  const channels = await channelsOf(deps, id)
  for (const one of channels) await hands.turn(one, () => checkMayLeave(deps, one))
  for (const one of [id, ...channels]) {
    await hands.turn(one, () => leave(deps, one, { unowned: one !== id }))
    hands.kick(one)
  }
}

async function checkMayLeave(deps: Deps, id: string): Promise<void> {
  const loaded = await loadChannel(deps, id)
  if (loaded !== undefined && loaded.channel.request === undefined) await checkOwned(deps, loaded)
}

/** SPC11. Runs in the channel's turn. @throws InputError 'group/not-allowed', 'channel/unknown' */
export async function takeOut(deps: Deps, id: string): Promise<void> {
  const loaded = await loadChannel(deps, id)
  if (loaded === undefined || loaded.channel.left !== undefined || loaded.channel.leaving) {
    throw new InputError('channel/unknown')
  }
  const { account } = await accountOf(deps)
  const isOf = loaded.channel.space?.is === 'channel' && loaded.channel.request === undefined
  if (!isOf || roleIn(loaded.group, account) === 'member') throw new InputError('group/not-allowed')
  await want(deps, id, [{ want: 'leave-space' }])
}

/** Those that are the space's here (SPC2). None for what is no home. */
export async function channelsOf({ store }: Pick<Deps, 'store'>, homeId: string): Promise<readonly string[]> {
  const parts = await partsIn(store)
  const homes = homesIn(parts)
  return parts.filter(({ channel }) => homeOf(channel, homes)?.id === homeId).map(({ id }) => id)
}
