import type { Clock } from '#app/ports/clock.ts'

/** A timer of the platform counts in 32 bits: a longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, run) => {
    let timer: ReturnType<typeof setTimeout>
    const wait = (leftMs: number): void => {
      timer = setTimeout(() => (leftMs > LONGEST_MS ? wait(leftMs - LONGEST_MS) : run()), Math.min(leftMs, LONGEST_MS))
    }
    wait(delayMs)
    return () => clearTimeout(timer)
  },
}
