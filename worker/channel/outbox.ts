import { systemDice } from '#core/crypto/random.ts'
import { blob, int } from '../storage/values.ts'

export const OUTBOX_SCHEMA = `
  CREATE TABLE welcomes (
    n INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL, drop_ BLOB NOT NULL, envelope BLOB NOT NULL, day INTEGER NOT NULL);
`

export type Welcome = {
  readonly n: number
  readonly id: Uint8Array // by which the mailbox knows it again
  readonly drop: Uint8Array
  readonly envelope: Uint8Array
}

/** Welcomes of ordered commits, until their mailbox has them (I-14). */
export class Outbox {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  put(drop: Uint8Array, envelope: Uint8Array, day: number): void {
    const id = systemDice(16)
    this.#sql.exec('INSERT INTO welcomes (id, drop_, envelope, day) VALUES (?, ?, ?, ?)', id, drop, envelope, day)
  }

  after(n: number, limit: number): Welcome[] {
    return this.#sql
      .exec('SELECT n, id, drop_, envelope FROM welcomes WHERE n > ? ORDER BY n LIMIT ?', n, limit)
      .toArray()
      .map((row) => ({ n: int(row.n), id: blob(row.id), drop: blob(row.drop_), envelope: blob(row.envelope) }))
  }

  delete(n: number): void {
    this.#sql.exec('DELETE FROM welcomes WHERE n = ?', n)
  }

  purge(tooOld: number): void {
    this.#sql.exec('DELETE FROM welcomes WHERE day <= ?', tooOld)
  }

  get isEmpty(): boolean {
    return this.#sql.exec('SELECT 1 FROM welcomes LIMIT 1').toArray().length === 0
  }
}
