/** Time, injected so that tests can turn it. */
export interface Clock {
  now(): number // ms since the epoch
  /** @returns the way to cancel */
  after(delayMs: number, run: () => void): () => void
}
