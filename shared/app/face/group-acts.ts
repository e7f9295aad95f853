import { toBase64url } from '#core/bytes/base64url.ts'
import type { GroupFace, HealthFace } from '../face.ts'
import { keyHealth } from '../health/key-health.ts'
import { channelDetails } from './channel-details.ts'
import { askOf, type FaceDeps } from './face-deps.ts'

const CHANNEL_ID_BYTES = 9

export function groupActs(deps: FaceDeps): GroupFace & HealthFace {
  const { store, bridge, dice } = deps
  const ask = askOf(deps)
  return {
    // The id is made here, so that asking again after a lost answer makes no second one.
    createGroup: (input) => bridge.request('createGroup', { ...input, id: toBase64url(dice(CHANNEL_ID_BYTES)) }),
    channelDetails: (channelId) => channelDetails(store, channelId),
    addMembers: (channelId, ids) => bridge.request('addMembers', { channelId, ids }),
    removeMember: (channelId, id) => ask('removeMember', { channelId, id }),
    setRole: (channelId, id, role) => ask('setRole', { channelId, id, role }),
    setProfile: (channelId, change) => ask('setProfile', { channelId, change }),
    leaveChannel: (channelId) => ask('leaveChannel', { channelId }),
    healChannel: (channelId) => ask('heal', { channelId }),
    acceptRequest: (channelId) => ask('acceptRequest', { channelId }),
    declineRequest: (channelId) => ask('declineRequest', { channelId }),
    keyHealth: () => keyHealth(store),
    repairChannel: (channelId) => ask('repairChannel', { channelId }),
    setMuted: (channelId, muted) => ask('setMuted', { channelId, muted }),
    setArchived: (channelId, archived) => ask('setArchived', { channelId, archived }),
    setBlocked: (id, blocked) => ask('setBlocked', { id, blocked }),
  }
}
