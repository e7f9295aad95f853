import type { EntryId, SeatId } from '#core/wire/ids.ts'
import { blob, hasTables, int } from '../storage/values.ts'
import { nameOf } from './post-ids.ts'

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS asks (entry BLOB PRIMARY KEY, day INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS asked (seat BLOB PRIMARY KEY, answered INTEGER NOT NULL) WITHOUT ROWID;
`

type Ask = { readonly entry: EntryId; readonly day: number }

/**
 * CHN23: accounts of which a device wants to come in and has no state for it, and the seats that were told so, and of
 * those which have left one in this epoch. Its tables are made with the first ask.
 */
export class Asks {
  readonly #sql: SqlStorage
  readonly #asks = new Map<string, Ask>()
  readonly #asked = new Map<string, 'told' | 'answered'>()

  constructor(sql: SqlStorage) {
    this.#sql = sql
    if (!hasTables(sql, 'asks')) return
    for (const row of sql.exec('SELECT entry, day FROM asks')) {
      const entry = blob<EntryId>(row.entry)
      this.#asks.set(nameOf(entry), { entry, day: int(row.day) })
    }
    for (const row of sql.exec('SELECT seat, answered FROM asked'))
      this.#asked.set(nameOf(blob<SeatId>(row.seat)), int(row.answered) === 1 ? 'answered' : 'told')
  }

  get isEmpty(): boolean {
    return this.#asks.size === 0
  }

  all(): IterableIterator<Ask> {
    return this.#asks.values()
  }

  /** Inside a transaction. Written once a day, however often it is asked. */
  add(entry: EntryId, day: number): void {
    if (this.#asks.get(nameOf(entry))?.day === day) return
    this.#sql.exec(SCHEMA)
    this.#asks.set(nameOf(entry), { entry, day })
    this.#sql.exec('INSERT OR REPLACE INTO asks VALUES (?, ?)', entry, day)
  }

  /** Inside a transaction: it is in, or it is out for good. */
  delete(entry: EntryId): void {
    if (this.#asks.delete(nameOf(entry))) this.#sql.exec('DELETE FROM asks WHERE entry = ?', entry)
    if (this.#asks.size === 0) this.forgetSeats()
  }

  was(seat: SeatId): 'told' | 'answered' | undefined {
    return this.#asked.get(nameOf(seat))
  }

  get toldSoFar(): number {
    return this.#asked.size
  }

  get answers(): number {
    return [...this.#asked.values()].filter((was) => was === 'answered').length
  }

  /** Inside a transaction. */
  tell(seat: SeatId): void {
    this.#put(seat, 'told')
  }

  answered(seat: SeatId): void {
    this.#put(seat, 'answered')
  }

  /** Inside a transaction: a new round. Who has answered has done so for this epoch. */
  forgetTold(): void {
    for (const [name, was] of this.#asked) if (was === 'told') this.#asked.delete(name)
    this.#sql.exec('DELETE FROM asked WHERE answered = 0')
  }

  /** Inside a transaction: another epoch, for which nobody has left anything. */
  forgetSeats(): void {
    if (this.#asked.size === 0) return
    this.#asked.clear()
    this.#sql.exec('DELETE FROM asked')
  }

  /** Inside a transaction: those of this day or before. */
  purge(day: number): void {
    for (const ask of [...this.#asks.values()]) if (ask.day <= day) this.delete(ask.entry)
  }

  #put(seat: SeatId, was: 'told' | 'answered'): void {
    this.#asked.set(nameOf(seat), was)
    this.#sql.exec('INSERT OR REPLACE INTO asked VALUES (?, ?)', seat, was === 'answered' ? 1 : 0)
  }
}
