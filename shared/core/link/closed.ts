import { SLOTS } from './slots.ts'

/** LNK8: shorter than the relay keeps it. */
export const LINK_OPEN_MS = 10 * 60 * 1000

/** How a meeting ends without a linked device; it never goes on from here (LNK8). */
export type LinkClosed = {
  readonly at: 'closed'
  readonly why: 'expired' | 'cancelled' | 'refused'
  readonly cause?: unknown // of 'refused': the typed error
}
export type Tick = { readonly type: 'tick'; readonly nowMs: number }
export type Received = { readonly type: 'received'; readonly slot: number; readonly bytes: Uint8Array }

/** What ends it on either side, whatever its state. Anything in the slot for it cancels: who could forge that could stay silent too. */
export function closedBy(
  event: Tick | Received | { readonly type: 'cancelled' | 'confirmed' | 'authorized' },
  untilMs: number,
): LinkClosed | undefined {
  switch (event.type) {
    case 'cancelled':
      return { at: 'closed', why: 'cancelled' }
    case 'tick':
      return event.nowMs < untilMs ? undefined : { at: 'closed', why: 'expired' }
    case 'received':
      return event.slot === SLOTS.cancelled ? { at: 'closed', why: 'cancelled' } : undefined
    default:
      return undefined
  }
}
