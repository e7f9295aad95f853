import type { AccountId } from '#core/wire/ids.ts'
import { blob, hasTables, int } from '../storage/values.ts'
import type { Logged } from '../transparency/rows.ts'

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS unlogged (
    account BLOB NOT NULL, sequence INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (sequence, hash)) WITHOUT ROWID;
`

/** Manifests that were taken and may not be in the realm's log yet (TRL1). */
export class Unlogged {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Inside the transaction that takes the manifest. */
  add({ account, sequence, hash }: Logged): void {
    this.#sql.exec(SCHEMA)
    this.#sql.exec('INSERT OR IGNORE INTO unlogged VALUES (?, ?, ?)', account, sequence, hash)
  }

  all(): Logged[] {
    if (!hasTables(this.#sql, 'unlogged')) return []
    const rows = this.#sql.exec('SELECT * FROM unlogged ORDER BY sequence')
    return [...rows].map((row) => ({
      account: blob<AccountId>(row.account),
      sequence: int(row.sequence),
      hash: blob(row.hash),
    }))
  }

  delete({ sequence, hash }: Logged): void {
    this.#sql.exec('DELETE FROM unlogged WHERE sequence = ? AND hash = ?', sequence, hash)
  }
}
