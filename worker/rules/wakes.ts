import { MAX_CARRIED_BYTES } from '#core/wire/limits.ts'
import type { Ordered } from '#core/wire/operations.ts'

/** A seat as far as waking it goes. */
export type Sleeper = {
  readonly cursor: number
  readonly quiet: boolean // its label lies in the mailbox: it will ask by itself
  readonly removedDay?: number | undefined
}

export const WAKE_BATCH = 100
const SEAT_CHANGE_BYTES = 64
const FIRST_PAUSE_MS = 10_000
const LAST_PAUSE_MS = 60 * 60 * 1000

/** Small envelopes ride in the wake; of larger ones a client hears, and fetches them. */
export function carriedIn(items: readonly Ordered[]): readonly Ordered[] {
  let bytes = 0
  for (const { envelope, seats } of items) {
    const changed = (seats?.add.length ?? 0) + (seats?.remove.length ?? 0) + (seats?.moderate?.length ?? 0)
    bytes += envelope.length + SEAT_CHANGE_BYTES * changed
  }
  return bytes <= MAX_CARRIED_BYTES ? items : []
}

/** DRP4: one outstanding label a seat; while it is outstanding the seat is not told again. */
export function isAwake(seat: Sleeper): boolean {
  return seat.removedDay === undefined && !seat.quiet
}

/** DRP5: a seat that was told live, and has not taken what was there one period ago, gets its label stored. */
export function needsLabel(seat: Sleeper, settledPosition: number): boolean {
  return isAwake(seat) && seat.cursor < settledPosition
}

/** DRP5: how long seats that stay behind are left alone after they were told so many times. */
export function pauseMs(times: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (times - 1), LAST_PAUSE_MS)
}

export function* batches<T>(items: readonly T[], size = WAKE_BATCH): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}
