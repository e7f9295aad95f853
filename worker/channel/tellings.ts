import { pauseMs } from '../rules/wakes.ts'
import { hasTables, int } from '../storage/values.ts'

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS tellings (one INTEGER PRIMARY KEY CHECK (one = 1), up_to INTEGER NOT NULL, times INTEGER NOT NULL);
`

/**
 * DRP5: how often the seats that stay behind were told of what there is. On the disk, because the channel sleeps in the pauses;
 * when the next one ends is not: the alarm that wakes it says so. Its table is made with the first of them.
 */
export class Tellings {
  readonly #sql: SqlStorage
  #upTo = 0
  #times = 0
  #againMs = 0

  constructor(sql: SqlStorage) {
    this.#sql = sql
    if (!hasTables(sql, 'tellings')) return
    const row = sql.exec('SELECT up_to, times FROM tellings').one()
    this.#upTo = int(row.up_to)
    this.#times = int(row.times)
  }

  /** The channel's end as it was told of last. */
  get upTo(): number {
    return this.#upTo
  }

  get againMs(): number {
    return this.#againMs
  }

  /** Something was ordered since, or the pause is over. */
  isDue(end: number, nowMs: number): boolean {
    return end > this.#upTo || nowMs >= this.#againMs
  }

  /** Inside a transaction. */
  add(end: number, nowMs: number): void {
    this.#times = end > this.#upTo ? 1 : this.#times + 1
    this.#upTo = end
    this.#againMs = nowMs + pauseMs(this.#times)
    this.#sql.exec(SCHEMA)
    this.#sql.exec('INSERT OR REPLACE INTO tellings VALUES (1, ?, ?)', this.#upTo, this.#times)
  }

  /** A seat takes what there is. One that a crash forgets only makes a pause longer. */
  beginAnew(): void {
    this.#upTo = 0
  }
}
