import { type Created, createGroup } from '../group/create-group.ts'
import { addChannel } from '../space/add-channel.ts'
import { takeOut } from '../space/change-space.ts'
import type { HandlersOf } from './handlers.ts'

/** C-10. */
export type SpaceRequests = {
  /** `id`: of its home, so that asking again after a lost answer makes no second one. */
  createSpace: { args: { title: string; members: readonly string[]; id?: string }; reply: Created }
  addToSpace: { args: { spaceId: string; title: string; id?: string }; reply: { channelId: string } }
  /** The channel stays, as a group of its own. */
  removeFromSpace: { args: { channelId: string }; reply: null }
}

export const spaceHandlers: HandlersOf<SpaceRequests> = {
  createSpace: async (deps, hands, input) => {
    await hands.online()
    const created = await createGroup(deps, (name, task) => hands.turn(name, task), { ...input, isSpace: true })
    if (created.missing.length > 0) hands.addLater()
    deps.changes.announce({ what: 'channels' })
    hands.kick(created.channelId)
    return created
  },
  addToSpace: async (deps, hands, input) => {
    await hands.online()
    const channelId = await addChannel(deps, hands, input)
    deps.changes.announce({ what: 'channels' })
    hands.kick(channelId)
    hands.spaceNoted(input.spaceId)
    return { channelId }
  },
  removeFromSpace: async (deps, hands, { channelId }) => {
    await hands.turn(channelId, () => takeOut(deps, channelId))
    deps.changes.announce({ what: 'channels' })
    hands.kick(channelId)
    return null
  },
}
