import type { Clock } from './ports/clock.ts'

const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 60_000

/** Named timers: at most one of each name is set, and retries of one name wait longer each time. */
export class Timers {
  readonly #clock: Clock
  readonly #set = new Map<string, () => void>()
  readonly #failures = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Does nothing while a timer of this name is set. */
  set(name: string, delayMs: number, run: () => void): void {
    if (this.#set.has(name)) return
    const cancel = this.#clock.after(Math.max(0, delayMs), () => {
      this.#set.delete(name)
      run()
    })
    this.#set.set(name, cancel)
  }

  retry(name: string, atLeastMs: number, run: () => void): void {
    const failures = this.#failures.get(name) ?? 0
    this.#failures.set(name, failures + 1)
    this.set(`retry ${name}`, Math.max(atLeastMs, Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures)), run)
  }

  succeeded(name: string): void {
    this.#failures.delete(name)
  }

  clear(): void {
    for (const cancel of this.#set.values()) cancel()
    this.#set.clear()
  }
}
