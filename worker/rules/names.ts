export const SHARD_NAMES = 10_000
/** NAM3: requests to join that one name has waiting, and how long each waits. */
export const MAX_WAITING_ASKS = 64
const ASK_DAYS = 14

/** Requests of this day or before are gone: a day's rounding never shortens their time. */
export function askDeadline(today: number): number {
  return today - ASK_DAYS - 1
}
