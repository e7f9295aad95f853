import { toBase64url } from '#core/bytes/base64url.ts'
import type { ProfileChange, Role } from '#core/mls/index.ts'
import type { Deps } from '../deps.ts'
import { absentOf, addPeople, removePerson, setProfile, setRole, wantHeal } from '../group/change-group.ts'
import { type Created, createGroup } from '../group/create-group.ts'
import { acceptRequest, declineRequest } from '../group/requests.ts'
import { chosenOf, takeFor } from '../group/take-for.ts'
import type { EngineHands } from '../requests.ts'
import { leavePlace, membersAt } from '../space/change-space.ts'
import { noteSameNames } from '../transparency/same-names.ts'
import type { HandlersOf } from './handlers.ts'

/** C-01 to C-05, C-13: channels of many. */
export type GroupRequests = {
  /** `id`: of the channel, so that asking again after a lost answer makes no second one. */
  createGroup: {
    args: { title: string; members: readonly string[]; large?: boolean; name?: string; id?: string }
    reply: Created
  }
  /** `missing`: who could not be added now, and is asked for again. */
  addMembers: { args: { channelId: string; ids: readonly string[] }; reply: { missing: readonly string[] } }
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
    const created = await createGroup(deps, turnOf(hands), input)
    if (created.missing.length > 0) hands.addLater()
    changed(deps, hands, created.channelId)
    return created
  },
  addMembers: async (deps, hands, { channelId: asked, ids }) => {
    await hands.online()
    const channelId = await membersAt(deps, asked)
    const { absent, suite } = await hands.turn(channelId, () => absentOf(deps, channelId, ids))
    const people = await chosenOf(deps, absent)
    const found = await takeFor(deps, turnOf(hands), people, suite) // many take a while: the conversation goes on
    await inChannel(deps, hands, channelId, () => addPeople(deps, channelId, found))
    if (found.missing.length > 0) hands.addLater()
    return { missing: found.missing.map(toBase64url) }
  },
  removeMember: async (deps, hands, { channelId: asked, id }) => {
    const channelId = await membersAt(deps, asked)
    return inChannel(deps, hands, channelId, () => removePerson(deps, channelId, id))
  },
  setRole: async (deps, hands, { channelId: asked, id, role }) => {
    const channelId = await membersAt(deps, asked)
    return inChannel(deps, hands, channelId, () => setRole(deps, channelId, id, role))
  },
  setProfile: (deps, hands, { channelId, change }) =>
    inChannel(deps, hands, channelId, () => setProfile(deps, channelId, change)),
  leaveChannel: async (deps, hands, { channelId }) => {
    await leavePlace(deps, hands, channelId)
    changed(deps, hands, channelId)
    return null
  },
  heal: (deps, hands, { channelId }) => inChannel(deps, hands, channelId, () => wantHeal(deps, channelId)),
  acceptRequest: async (deps, hands, { channelId: asked }) => {
    const channelId = await membersAt(deps, asked) // SPC9
    const accept = () => inChannel(deps, hands, channelId, () => acceptRequest(deps, channelId))
    await hands.turn('realm', accept) // contacts change in this turn alone
    await hands.turn('realm', () => noteSameNames(deps)) // before anything more can be said there (K-12)
    deps.changes.announce({ what: 'people' })
    return null
  },
  declineRequest: async (deps, hands, { channelId: asked }) => {
    const channelId = await membersAt(deps, asked)
    return inChannel(deps, hands, channelId, () => declineRequest(deps, channelId))
  },
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
  hands.spaceNoted(channelId)
}
