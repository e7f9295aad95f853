import { systemDice } from '#core/crypto/random.ts'
import { MAX_MESSAGE_BYTES } from '#core/wire/limits.ts'
import { type Load, plus } from '../rules/quota.ts'
import { WAKE_BATCH } from '../rules/wakes.ts'
import { blob, int } from '../storage/values.ts'

export const OUTBOX_SCHEMA = `
  CREATE TABLE welcomes (
    n INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL, drop_ BLOB NOT NULL, envelope BLOB NOT NULL, day INTEGER NOT NULL);
`

/** A welcome that waits. Its envelope is read only when it goes: all of them together are more than memory has. */
export type Welcome = {
  readonly n: number
  readonly id: Uint8Array // by which the mailbox knows it again
  readonly drop: Uint8Array
  readonly bytes: number
}
/** The first and the last of some neighbours. */
export type Span = { readonly first: number; readonly last: number }

/** Welcomes of ordered commits, until their mailbox has them (I-14). */
export class Outbox {
  readonly #sql: SqlStorage
  #load: Load

  constructor(sql: SqlStorage) {
    this.#sql = sql
    const row = sql.exec('SELECT count(*) AS n, total(length(envelope)) AS bytes FROM welcomes').one()
    this.#load = { count: int(row.n), bytes: int(row.bytes) }
  }

  get load(): Load {
    return this.#load
  }

  /** Inside a transaction: whoever rolls it back makes a new Outbox. @returns its number */
  put(drop: Uint8Array, envelope: Uint8Array, day: number): number {
    const row = this.#sql
      .exec(
        'INSERT INTO welcomes (id, drop_, envelope, day) VALUES (?, ?, ?, ?) RETURNING n',
        ...[systemDice(16), drop, envelope, day],
      )
      .one()
    this.#load = plus(this.#load, { count: 1, bytes: envelope.length })
    return int(row.n)
  }

  /** The next of these: so many as may be under way at once. */
  waiting({ first, last }: Span): Welcome[] {
    const rows = this.#sql.exec(
      'SELECT n, id, drop_, length(envelope) AS bytes FROM welcomes WHERE n BETWEEN ? AND ? ORDER BY n LIMIT ?',
      ...[first, last, WAKE_BATCH],
    )
    const next: Welcome[] = []
    let sum = 0
    for (const row of rows) {
      const bytes = int(row.bytes)
      sum += bytes
      if (next.length > 0 && sum > MAX_MESSAGE_BYTES) break
      next.push({ n: int(row.n), id: blob(row.id), drop: blob(row.drop_), bytes })
    }
    return next
  }

  envelope(n: number): Uint8Array | undefined {
    const [row] = this.#sql.exec('SELECT envelope FROM welcomes WHERE n = ?', n).toArray()
    return row && blob(row.envelope)
  }

  delete(n: number): void {
    this.#count(this.#sql.exec('DELETE FROM welcomes WHERE n = ? RETURNING length(envelope) AS bytes', n))
  }

  purge(tooOld: number): void {
    this.#count(this.#sql.exec('DELETE FROM welcomes WHERE day <= ? RETURNING length(envelope) AS bytes', tooOld))
  }

  get isEmpty(): boolean {
    return this.#load.count === 0
  }

  #count(gone: Iterable<Record<string, unknown>>): void {
    for (const { bytes } of gone) this.#load = plus(this.#load, { count: -1, bytes: -int(bytes) })
  }
}
