import { InputError } from '#core/errors.ts'
import type { Face, JoinFace } from '../face.ts'
import { askOf, type FaceDeps } from './face-deps.ts'
import { invitationViews } from './invitation-views.ts'
import { askedViews, joinRequests } from './join-views.ts'

type JoinActs = JoinFace & Pick<Face, 'invitations' | 'createInvitation' | 'revokeInvitation' | 'acceptInvitation'>

export function joinActs(deps: FaceDeps): JoinActs {
  const { store, bridge, clock } = deps
  const ask = askOf(deps)
  const invitations: Face['invitations'] = () => invitationViews(store, clock.now())
  return {
    invitations,
    createInvitation: async (into) => {
      const args = into === undefined ? null : { into: into.channelId, ask: into.ask }
      const { id } = await bridge.request('createInvitation', args)
      const made = (await invitations()).find((invitation) => invitation.id === id)
      if (made === undefined) throw new InputError('invitation/unknown')
      return made
    },
    revokeInvitation: (id) => ask('revokeInvitation', { id }),
    acceptInvitation: (link) => bridge.request('acceptInvitation', { link }),
    lookAtInvitation: (link) => bridge.request('lookAtInvitation', { link }),
    joinRequests: (channelId) => joinRequests(store, channelId),
    approveJoin: (id) => ask('approveJoin', { id }),
    declineJoin: (id) => ask('declineJoin', { id }),
    lookForJoins: (channelId) => ask('lookForJoins', { channelId }),
    findChannel: (name) => bridge.request('findChannel', { name }),
    askToJoin: (name, note) => ask('askToJoin', { name, note }),
    asked: () => askedViews(store, clock.now()),
    withdrawAsk: (id) => ask('withdrawAsk', { id }),
    dismissJoin: (id) => ask('dismissJoin', { id }),
  }
}
