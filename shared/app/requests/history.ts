import type { Work } from '../face.ts'
import { noteShare } from '../share/note-share.ts'
import { answerOffer } from '../share/share-work.ts'
import type { HandlersOf } from './handlers.ts'

/** C-11: earlier messages, to somebody and from somebody. */
export type HistoryRequests = {
  shareHistory: { args: { channelId: string; personId: string; fromMs: number }; reply: null }
  answerHistory: { args: { channelId: string; offerId: string; takes: boolean }; reply: null }
}
export type ShareWork = Extract<Work['kind'], 'share' | 'take'>

export const historyHandlers: HandlersOf<HistoryRequests> = {
  shareHistory: async (deps, hands, { channelId, personId, fromMs }) => {
    await hands.turn(channelId, () => noteShare(deps, channelId, personId, fromMs))
    deps.changes.announce({ what: 'work' })
    hands.sharesNoted()
    return null
  },
  answerHistory: async (deps, hands, { channelId, offerId, takes }) => {
    await hands.turn(channelId, () => answerOffer(deps, channelId, offerId, takes))
    deps.changes.announce({ what: 'work' })
    hands.sharesNoted()
    return null
  },
}
