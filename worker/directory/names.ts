import type { Address, TokenHash } from '#core/wire/ids.ts'
import { blob, blobOrNone, hasTables, int } from '../storage/values.ts'

/** Of a name its hash is kept, not the name. A request that was settled is remembered until it would have expired. */
const SCHEMA = `
  CREATE TABLE names (address BLOB PRIMARY KEY, token_hash BLOB NOT NULL, join_key BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE asks (
    n INTEGER PRIMARY KEY AUTOINCREMENT, address BLOB NOT NULL, id BLOB NOT NULL, day INTEGER NOT NULL, request BLOB,
    UNIQUE (address, id));
`

export type Name = { readonly tokenHash: TokenHash; readonly joinKey: Uint8Array }
export type Ask = { readonly id: Uint8Array; readonly request: Uint8Array }

/** Names of channels, and requests to join them (C-09). */
export class Names {
  readonly #sql: SqlStorage

  static open(sql: SqlStorage): Names | undefined {
    return hasTables(sql, 'names') ? new Names(sql) : undefined
  }

  /** Inside a transaction. */
  static openOrCreate(sql: SqlStorage): Names {
    if (!hasTables(sql, 'names')) sql.exec(SCHEMA)
    return new Names(sql)
  }

  private constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  at(address: Address): Name | undefined {
    const [row] = this.#sql.exec('SELECT token_hash, join_key FROM names WHERE address = ?', address).toArray()
    return row && { tokenHash: blob<TokenHash>(row.token_hash), joinKey: blob(row.join_key) }
  }

  get count(): number {
    return int(this.#sql.exec('SELECT count(*) AS n FROM names').one().n)
  }

  add(address: Address, { tokenHash, joinKey }: Name): void {
    this.#sql.exec('INSERT INTO names VALUES (?, ?, ?)', address, tokenHash, joinKey)
  }

  /** @returns the request, or 'settled', for an id that was asked with */
  askAt(address: Address, id: Uint8Array): Uint8Array | 'settled' | undefined {
    const [row] = this.#sql.exec('SELECT request FROM asks WHERE address = ? AND id = ?', address, id).toArray()
    return row && (blobOrNone(row.request) ?? 'settled')
  }

  waiting(address: Address): number {
    const query = 'SELECT count(*) AS n FROM asks WHERE address = ? AND request IS NOT NULL'
    return int(this.#sql.exec(query, address).one().n)
  }

  ask(address: Address, { id, request }: Ask, day: number): void {
    this.#sql.exec('INSERT INTO asks (address, id, day, request) VALUES (?, ?, ?, ?)', address, id, day, request)
  }

  /** The oldest that wait. */
  asked(address: Address, limit: number): Ask[] {
    const query = 'SELECT id, request FROM asks WHERE address = ? AND request IS NOT NULL ORDER BY n LIMIT ?'
    const rows = this.#sql.exec(query, address, limit).toArray()
    return rows.map((row) => ({ id: blob(row.id), request: blob(row.request) }))
  }

  settle(address: Address, id: Uint8Array): void {
    this.#sql.exec('UPDATE asks SET request = NULL WHERE address = ? AND id = ?', address, id)
  }

  purge(day: number): void {
    this.#sql.exec('DELETE FROM asks WHERE day <= ?', day)
  }

  get hasAsks(): boolean {
    return this.#sql.exec('SELECT 1 FROM asks LIMIT 1').toArray().length > 0
  }
}
