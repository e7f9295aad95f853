let now = (): number => Date.now()

/** The relay's one clock (ms since the epoch). */
export function nowMs(): number {
  return now()
}

/** For simulations, which turn the clock themselves. */
export function unsafeTurnClock(clock: () => number): void {
  now = clock
}

export const DAY_MS = 24 * 60 * 60 * 1000
export const HOUR_MS = 60 * 60 * 1000

/** Stored times are days: when within a day something came is nobody's business (T-06). */
export function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS)
}
