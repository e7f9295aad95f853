import type { ProfileChange, Role } from '#core/mls/index.ts'
import type { Deps } from '../deps.ts'
import { absentOf, addPeople, removePerson, setProfile, setRole, wantHeal } from '../group/change-group.ts'
import { createGroup } from '../group/create-group.ts'
import { leave } from '../group/leave.ts'
import { acceptRequest, declineRequest } from '../group/requests.ts'
import { takeFor } from '../group/take-for.ts'
import type { EngineHands } from '../requests.ts'
import { noteSameNames } from '../transparency/same-names.ts'
import type { HandlersOf } from './handlers.ts'

/** C-01 to C-05, C-13: channels of many. */
export type GroupRequests = {
  /** `id`: of the channel, so that asking again after a lost answer makes no second one. */
  createGroup: { args: { title: string; members: readonly string[]; id?: string }; reply: { channelId: string } }
  addMembers: { args: { channelId: string; ids: readonly string[] }; reply: null }
  removeMember: { args: { channelId: string; id: string }; reply: null }
  setRole: { args: { channelId: string; id: string; role: Role }; reply: null }
  setProfile: { args: { channelId: string; change: ProfileChange }; reply: null }
  leaveChannel: { args: { channelId: string }; reply: null }
  /** C-08: new keys for the channel, now. */
  heal: { args: { channelId: string }; reply: null }
  acceptRequest: { args: { channelId: string }; reply: null }
  declineRequest: { args: { channelId: string }; reply: null }
}

export const groupHandlers: HandlersOf<GroupRequests> = {
  createGroup: async (deps, hands, input) => {
    await hands.online()
    const channelId = await createGroup(deps, turnOf(hands), input)
    changed(deps, hands, channelId)
    return { channelId }
  },
  addMembers: async (deps, hands, { channelId, ids }) => {
    await hands.online()
    const absent = await hands.turn(channelId, () => absentOf(deps, channelId, ids))
    const taken = await takeFor(deps, turnOf(hands), absent) // many take a while: the conversation goes on
    return inChannel(deps, hands, channelId, () => addPeople(deps, channelId, taken))
  },
  removeMember: (deps, hands, { channelId, id }) =>
    inChannel(deps, hands, channelId, () => removePerson(deps, channelId, id)),
  setRole: (deps, hands, { channelId, id, role }) =>
    inChannel(deps, hands, channelId, () => setRole(deps, channelId, id, role)),
  setProfile: (deps, hands, { channelId, change }) =>
    inChannel(deps, hands, channelId, () => setProfile(deps, channelId, change)),
  leaveChannel: (deps, hands, { channelId }) => inChannel(deps, hands, channelId, () => leave(deps, channelId)),
  heal: (deps, hands, { channelId }) => inChannel(deps, hands, channelId, () => wantHeal(deps, channelId)),
  acceptRequest: async (deps, hands, { channelId }) => {
    await inChannel(deps, hands, channelId, () => acceptRequest(deps, channelId))
    await hands.turn('realm', () => noteSameNames(deps)) // before anything more can be said there (K-12)
    deps.changes.announce({ what: 'people' })
    return null
  },
  declineRequest: (deps, hands, { channelId }) =>
    inChannel(deps, hands, channelId, () => declineRequest(deps, channelId)),
}

function turnOf(hands: EngineHands): EngineHands['turn'] {
  return (name, task) => hands.turn(name, task)
}

async function inChannel(deps: Deps, hands: EngineHands, channelId: string, act: () => Promise<void>): Promise<null> {
  await hands.turn(channelId, act)
  changed(deps, hands, channelId)
  return null
}

function changed(deps: Deps, hands: EngineHands, channelId: string): void {
  deps.changes.announce({ what: 'channels' })
  hands.kick(channelId)
}
