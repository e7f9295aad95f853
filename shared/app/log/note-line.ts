import type { Draft } from '../draft.ts'
import type { RowKey, Store } from '../ports/store.ts'

export const WAITING = 'waiting'
export const PUSHED = 'pushed'

const ORDER_DIGITS = 16

/** Sorts as the lines of a channel do. */
export function waitingKey(channelId: string, order: number): RowKey {
  return [WAITING, `${channelId} ${String(order).padStart(ORDER_DIGITS, '0')}`]
}

/** This line is to be in the account's log: noted in the very transaction that stores it (L-01). */
export function noteLine(draft: Draft, channelId: string, order: number): void {
  draft.put('deltas', waitingKey(channelId, order), { lines: [{ channelId, order }] })
}

export async function hasWaiting(store: Pick<Store, 'list'>): Promise<boolean> {
  return (await store.list('deltas', { of: WAITING, limit: 1 })).length > 0
}
