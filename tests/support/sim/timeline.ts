import type { Clock } from '#app/ports/clock.ts'

type Entry = { readonly atMs: number; readonly n: number; readonly run: () => void; cancelled: boolean }

/** Virtual time: what is planned runs in its order and nothing waits. */
export class Timeline {
  #nowMs: number
  #n = 0
  #entries: Entry[] = []

  constructor(startMs: number) {
    this.#nowMs = startMs
  }

  get nowMs(): number {
    return this.#nowMs
  }

  plan(delayMs: number, run: () => void): () => void {
    const entry: Entry = { atMs: this.#nowMs + Math.ceil(Math.max(0, delayMs)), n: this.#n++, run, cancelled: false }
    this.#entries.push(entry)
    return () => {
      entry.cancelled = true
    }
  }

  /** A clock whose timers end with `isDead`: what a stopped process had planned never happens. */
  clock(isDead: () => boolean): Clock {
    return {
      now: () => this.#nowMs,
      after: (delayMs, run) =>
        this.plan(delayMs, () => {
          if (!isDead()) run()
        }),
    }
  }

  /** When the next entry is due. */
  get nextMs(): number | undefined {
    return this.#first()?.atMs
  }

  /** Runs the next entry. */
  step(): void {
    const first = this.#first()
    if (first === undefined) return
    this.#entries.splice(this.#entries.indexOf(first), 1)
    this.#nowMs = Math.max(this.#nowMs, first.atMs)
    first.run()
  }

  /** Moves to a moment at which nothing is planned before. */
  moveTo(atMs: number): void {
    this.#nowMs = Math.max(this.#nowMs, atMs)
  }

  #first(): Entry | undefined {
    this.#entries = this.#entries.filter((entry) => !entry.cancelled)
    let first: Entry | undefined
    for (const entry of this.#entries) {
      if (first === undefined || entry.atMs < first.atMs || (entry.atMs === first.atMs && entry.n < first.n))
        first = entry
    }
    return first
  }
}
