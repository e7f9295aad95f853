import type { InvitationView } from '../face.ts'
import type { Store } from '../ports/store.ts'

export async function invitationViews(store: Pick<Store, 'list'>, nowMs: number): Promise<readonly InvitationView[]> {
  const rows = await store.list('invitations')
  return rows
    .map(({ key, record }): InvitationView => {
      const state = record.state === 'open' && record.expiresAtMs <= nowMs ? 'expired' : record.state
      const { link, expiresAtMs, channelId } = record
      return { id: String(key), link, expiresAtMs, state, ...(channelId === undefined ? {} : { channelId }) }
    })
    .sort((a, b) => b.expiresAtMs - a.expiresAtMs)
}
