import { equalBytes } from '#core/bytes/equal.ts'
import { MAX_LOG_WATCHERS } from '#core/wire/limits.ts'
import { openDrop, sealDrop } from '../drops.ts'
import { blob, int } from '../storage/values.ts'

export const WATCHERS_SCHEMA = `
  CREATE TABLE watchers (n INTEGER PRIMARY KEY AUTOINCREMENT, drop_ BLOB NOT NULL, day INTEGER NOT NULL);
`

export type Watcher = { readonly n: number; readonly drop: Uint8Array }

/** LOG7: whom an append wakes. A drop is sealed anew whenever it is stored, so that no row equals another one (T-06). */
export class Watchers {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Again: the day counts from anew. @returns undefined for what is no drop of this realm */
  renew(key: Uint8Array, given: Uint8Array, day: number): 'watching' | 'full' | undefined {
    const drop = openDrop(key, given)
    if (drop === undefined) return undefined
    for (const { n, drop: sealed } of this.all()) {
      const known = openDrop(key, sealed)
      if (known && equalBytes(known.mailbox, drop.mailbox) && equalBytes(known.label, drop.label)) this.delete(n)
    }
    if (this.count >= MAX_LOG_WATCHERS) return 'full'
    this.#sql.exec('INSERT INTO watchers (drop_, day) VALUES (?, ?)', sealDrop(key, drop), day)
    return 'watching'
  }

  all(): Watcher[] {
    return [...this.#sql.exec('SELECT n, drop_ FROM watchers ORDER BY n')].map((row) => ({
      n: int(row.n),
      drop: blob(row.drop_),
    }))
  }

  get count(): number {
    return int(this.#sql.exec('SELECT count(*) AS n FROM watchers').one().n)
  }

  delete(n: number): void {
    this.#sql.exec('DELETE FROM watchers WHERE n = ?', n)
  }

  clear(): void {
    this.#sql.exec('DELETE FROM watchers')
  }

  purge(day: number): void {
    this.#sql.exec('DELETE FROM watchers WHERE day <= ?', day)
  }
}
