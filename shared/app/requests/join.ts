import { InputError } from '#core/errors.ts'
import { readInvitationLink } from '#core/identity/invitation.ts'
import type { Deps } from '../deps.ts'
import type { InvitationPreview } from '../face/join-face.ts'
import { checkMayAdd } from '../group/change-group.ts'
import { lookAtInvitation } from '../invitation/look-at-invitation.ts'
import { approveJoin, declineJoin, dismissJoin } from '../join/answer.ts'
import { askToJoin, withdrawAsk } from '../join/ask-to-join.ts'
import { isTaken } from '../join/new-name.ts'
import type { EngineHands } from '../requests.ts'
import { membersAt } from '../space/change-space.ts'
import type { HandlersOf } from './handlers.ts'

/** C-09, C-12: coming into a channel. */
export type JoinRequests = {
  lookAtInvitation: { args: { link: string }; reply: InvitationPreview }
  approveJoin: { args: { id: string }; reply: null }
  declineJoin: { args: { id: string }; reply: null }
  dismissJoin: { args: { id: string }; reply: null }
  lookForJoins: { args: { channelId: string }; reply: null }
  findChannel: { args: { name: string }; reply: boolean }
  askToJoin: { args: { name: string; note: string }; reply: null }
  withdrawAsk: { args: { id: string }; reply: null }
}

export const JOINS = 'joins'

export const joinHandlers: HandlersOf<JoinRequests> = {
  lookAtInvitation: async (deps, hands, { link }) => {
    const { origin, realmKey } = readInvitationLink(link)
    await hands.online(origin, realmKey)
    return hands.turn('realm', () => lookAtInvitation(deps, link))
  },
  approveJoin: (deps, hands, { id }) => answer(deps, hands, () => approveJoin(deps, id)),
  declineJoin: (deps, hands, { id }) => answer(deps, hands, () => declineJoin(deps, id)),
  dismissJoin: (deps, hands, { id }) => answer(deps, hands, () => dismissJoin(deps, id)),
  lookForJoins: async (deps, hands, { channelId }) => {
    if ((await deps.store.get('channels', channelId))?.named?.keys !== undefined) hands.joinsNoted(true)
    return null
  },
  findChannel: async (deps, hands, { name }) => {
    await hands.online()
    return isTaken(deps, name)
  },
  askToJoin: async (deps, hands, { name, note }) => {
    await hands.online()
    return answer(deps, hands, () => askToJoin(deps, hands, name, note))
  },
  withdrawAsk: (deps, hands, { id }) => answer(deps, hands, () => withdrawAsk(deps, hands, id)),
}

/** The group as a link will name it: only who may add invites into it. @throws InputError 'group/not-allowed' */
export async function groupToInvite(
  deps: Deps,
  hands: Pick<EngineHands, 'turn'>,
  { into: asked, ask }: { readonly into: string; readonly ask: boolean },
): Promise<{ channelId: string; ask: boolean; title: string }> {
  const into = await membersAt(deps, asked) // SPC7
  const { channel } = await hands.turn(into, () => checkMayAdd(deps, into))
  if (channel.state === 'joining' && channel.title === '') throw new InputError('channel/unknown')
  return { channelId: into, ask, title: channel.title }
}

async function answer(deps: Deps, hands: EngineHands, act: () => Promise<void>): Promise<null> {
  await hands.turn(JOINS, act)
  for (const what of ['invitations', 'channels'] as const) deps.changes.announce({ what })
  hands.joinsNoted()
  return null
}
