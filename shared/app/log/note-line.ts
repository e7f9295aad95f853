import type { Draft } from '../draft.ts'
import type { RowKey } from '../ports/store.ts'

export const WAITING = 'waiting'
export const PUSHED = 'pushed'

export function waitingKey(channelId: string, order: number): RowKey {
  return [WAITING, `${channelId} ${order}`]
}

/** This line is to be in the account's log: noted in the very transaction that stores it (L-01). */
export function noteLine(draft: Draft, channelId: string, order: number): void {
  draft.put('deltas', waitingKey(channelId, order), { lines: [{ channelId, order }] })
}
