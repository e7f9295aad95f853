import type { InvitationView } from '../face.ts'
import type { Store } from '../ports/store.ts'
import { invitedInto } from './join-views.ts'

export async function invitationViews(
  store: Pick<Store, 'get' | 'list'>,
  nowMs: number,
): Promise<readonly InvitationView[]> {
  const rows = await store.list('invitations')
  const views = rows.map(async ({ key, record }): Promise<InvitationView> => {
    const state = record.state === 'open' && record.expiresAtMs <= nowMs ? 'expired' : record.state
    const { link, expiresAtMs, channelId, into } = record
    return {
      id: String(key),
      link,
      expiresAtMs,
      state,
      ...(channelId === undefined ? {} : { channelId }),
      ...(into === undefined ? {} : { into: await intoView(store, String(key), into) }),
    }
  })
  return (await Promise.all(views)).sort((a, b) => b.expiresAtMs - a.expiresAtMs)
}

async function intoView(store: Pick<Store, 'get'>, key: string, into: Parameters<typeof invitedInto>[0]) {
  const [join, channel] = await Promise.all([store.get('joins', key), store.get('channels', into.channelId)])
  return invitedInto(into, channel?.title ?? '', join)
}
