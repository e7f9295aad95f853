import { InputError } from '#core/errors.ts'
import { accountOf } from '../account/settle-manifest.ts'
import { roleIn } from '../channel/follow-group.ts'
import { loadChannel } from '../channel/loaded.ts'
import type { Deps } from '../deps.ts'
import { checkOwned, leave } from '../group/leave.ts'
import type { EngineHands } from '../requests.ts'
import { homeIdOf, homeOf, homesIn, partsIn } from './agreement.ts'
import { want } from './want.ts'

type Hands = Pick<EngineHands, 'turn'>

/** SPC7: where members and roles of a channel are changed. */
export async function membersAt({ store }: Pick<Deps, 'store'>, id: string): Promise<string> {
  return (await homeIdOf(store, id)) ?? id
}

/**
 * A channel, or a space by its home: out of that first, the others follow (SPC8).
 * @throws InputError 'channel/last-owner', 'space/leave-whole' for a channel of a space by itself
 */
export async function leavePlace(deps: Deps, hands: Hands, id: string): Promise<void> {
  if ((await homeIdOf(deps.store, id)) !== undefined) throw new InputError('space/leave-whole')
  for (const one of await channelsOf(deps, id)) await hands.turn(one, () => checkMayLeave(deps, one))
  await hands.turn(id, () => leave(deps, id))
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
async function channelsOf({ store }: Pick<Deps, 'store'>, homeId: string): Promise<readonly string[]> {
  const parts = await partsIn(store)
  const homes = homesIn(parts)
  return parts.filter(({ channel }) => homeOf(channel, homes)?.id === homeId).map(({ id }) => id)
}
