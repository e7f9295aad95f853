/** Earlier messages for somebody who came in later: one choice at a time, and never by itself (C-11). */
export interface HistoryFace {
  /** How much there is to share with that member, from the store alone. @throws InputError 'history/member' */
  earlierHistory(channelId: string, personId: string): Promise<EarlierHistory>
  /**
   * Can't be taken back. Everybody in the channel hears that it was done.
   * @param fromMs only what was said from then on; 0: everything
   * @throws InputError 'history/…'
   */
  shareHistory(channelId: string, personId: string, fromMs: number): Promise<void>
  /** What somebody has shared with this account and is so much that the person is asked. */
  historyOffers(channelId: string): Promise<readonly HistoryOffer[]>
  /** @throws InputError 'history/unknown' */
  answerHistory(channelId: string, offerId: string, takes: boolean): Promise<void>
}

export type EarlierHistory = { readonly week: number; readonly month: number; readonly all: number }
export type HistoryOffer = {
  readonly id: string
  readonly by: string // a name, '' for somebody unknown
  readonly count: number // messages, as they say
}
