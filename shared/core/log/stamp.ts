/**
 * Hybrid clock (L-01): milliseconds since 2025 times 4,096, plus a counter. A device's next stamp is above all that it made or
 * saw, and near the wall clock where that is right. Fits a number until 2094.
 */
const EPOCH_MS = Date.UTC(2025, 0, 1)
const STEPS = 4096

export function nextStamp(last: number, nowMs: number): number {
  return Math.max(last + 1, stampAt(nowMs))
}

export function stampAt(nowMs: number): number {
  return Math.max(0, nowMs - EPOCH_MS) * STEPS
}
