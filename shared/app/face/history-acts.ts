import { toBase64url } from '#core/bytes/base64url.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { EarlierHistory, HistoryFace, HistoryOffer } from '../face.ts'
import type { Store } from '../ports/store.ts'
import { earlierFor } from '../share/note-share.ts'
import { historyOffers } from '../share/share-work.ts'
import { askOf, type FaceDeps } from './face-deps.ts'

const DAY_MS = 86_400_000

export function historyActs(deps: FaceDeps): HistoryFace {
  const { store, clock } = deps
  const ask = askOf(deps)
  return {
    earlierHistory: (channelId, personId) => earlierHistory(store, channelId, personId, clock.now()),
    shareHistory: (channelId, personId, fromMs) => ask('shareHistory', { channelId, personId, fromMs }),
    historyOffers: (channelId) => offersIn(store, channelId),
    answerHistory: (channelId, offerId, takes) => ask('answerHistory', { channelId, offerId, takes }),
  }
}

async function earlierHistory(
  store: Pick<Store, 'get' | 'list'>,
  channelId: string,
  personId: string,
  nowMs: number,
): Promise<EarlierHistory> {
  const from = [nowMs - 7 * DAY_MS, nowMs - 30 * DAY_MS, 0]
  const [week = 0, month = 0, all = 0] = await earlierFor(store, channelId, personId, from)
  return { week, month, all }
}

async function offersIn(store: Pick<Store, 'get' | 'list'>, channelId: string): Promise<readonly HistoryOffer[]> {
  const [channel, contacts] = await Promise.all([store.get('channels', channelId), store.list('contacts')])
  const people = [...(channel?.names ?? []), ...contacts.map(({ record }) => record)]
  const nameOf = new Map(people.map(({ account, name }) => [toBase64url(account), name]))
  return historyOffers(store, channelId, (account) => nameOf.get(toBase64url(account as AccountId)) ?? '')
}
