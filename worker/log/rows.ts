import { firstLogHead, nextLogHead } from '#core/channel/log-chain.ts'
import type { Address, Head, PostId, TokenHash } from '#core/wire/ids.ts'
import { MAX_FETCH_BYTES, MAX_LOG_ENTRIES } from '#core/wire/limits.ts'
import type { ArgsOf, LogRow, Place, VaultRecord } from '#core/wire/operations.ts'
import { ENTRY_OVERHEAD_BYTES, loadOf } from '../rules/log.ts'
import { blob, hasTables, int } from '../storage/values.ts'
import { WATCHERS_SCHEMA } from './watchers.ts'

const SCHEMA = `
  CREATE TABLE vault (
    one INTEGER PRIMARY KEY CHECK (one = 1), owner BLOB NOT NULL, number INTEGER NOT NULL, generation INTEGER NOT NULL,
    token_hash BLOB NOT NULL, body BLOB NOT NULL, signature BLOB NOT NULL);
  CREATE TABLE log (
    one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER NOT NULL, head BLOB NOT NULL, load INTEGER NOT NULL,
    told INTEGER NOT NULL);
  CREATE TABLE entries (position INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, before BLOB NOT NULL, bytes BLOB NOT NULL);
  ${WATCHERS_SCHEMA}`

export type NewEntry = ArgsOf<'log.append'>['entries'][number]
export type SignedVault = { readonly owner: Uint8Array; readonly vault: VaultRecord; readonly signature: Uint8Array }
type Page = { readonly entries: LogRow[]; readonly more: boolean }

/** An account's log and vault. No row says whose they are, nor which device wrote an entry, nor when (T-06). */
export class LogRows {
  readonly #sql: SqlStorage

  /** Inside a transaction. */
  static create(sql: SqlStorage, address: Address, { owner, vault, signature }: SignedVault): void {
    sql.exec(SCHEMA)
    sql.exec('INSERT INTO log VALUES (1, 0, ?, 0, 0)', firstLogHead(address))
    const { number, generation, tokenHash, body } = vault
    sql.exec(
      'INSERT INTO vault VALUES (1, ?, ?, ?, ?, ?, ?)',
      ...[owner, number, generation, tokenHash, body, signature],
    )
  }

  /** @returns undefined for an address that nobody opened; such an object writes nothing */
  static open(sql: SqlStorage): LogRows | undefined {
    return hasTables(sql, 'log') ? new LogRows(sql) : undefined
  }

  private constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  get owner(): Uint8Array {
    return blob(this.#sql.exec('SELECT owner FROM vault').one().owner)
  }

  get tokenHash(): TokenHash {
    return blob<TokenHash>(this.#sql.exec('SELECT token_hash FROM vault').one().token_hash)
  }

  get vault(): SignedVault {
    const row = this.#sql.exec('SELECT * FROM vault').one()
    const vault = {
      number: int(row.number),
      generation: int(row.generation),
      tokenHash: blob<TokenHash>(row.token_hash),
      body: blob(row.body),
    }
    return { owner: blob(row.owner), vault, signature: blob(row.signature) }
  }

  replaceVault({ number, generation, tokenHash, body }: VaultRecord, signature: Uint8Array): void {
    this.#sql.exec(
      'UPDATE vault SET number = ?, generation = ?, token_hash = ?, body = ?, signature = ?',
      ...[number, generation, tokenHash, body, signature],
    )
  }

  get last(): Place {
    const row = this.#sql.exec('SELECT position, head FROM log').one()
    return { position: int(row.position), head: blob<Head>(row.head) }
  }

  /** Up to where watchers were told, as the last alarm saw it (LOG7). */
  get told(): number {
    return int(this.#sql.exec('SELECT told FROM log').one().told)
  }

  set told(position: number) {
    this.#sql.exec('UPDATE log SET told = ?', position)
  }

  /** What its entries take (LOG6). */
  get load(): number {
    return int(this.#sql.exec('SELECT load FROM log').one().load)
  }

  /** Inside a transaction. LOG4: each row keeps the head before it, so that what is left after a compaction still links. */
  append(entries: readonly NewEntry[]): Place {
    let { position, head } = this.last
    for (const { id, bytes } of entries) {
      position += 1
      this.#sql.exec('INSERT INTO entries VALUES (?, ?, ?, ?)', position, id, head, bytes)
      head = nextLogHead(head, position, bytes)
    }
    this.#sql.exec('UPDATE log SET position = ?, head = ?, load = load + ?', position, head, loadOf(entries))
    return { position, head }
  }

  /** Inside a transaction. */
  delete(from: number, to: number): void {
    this.#sql.exec('UPDATE log SET load = load - ?', this.loadBetween(from, to))
    this.#sql.exec('DELETE FROM entries WHERE position >= ? AND position <= ?', from, to)
  }

  /** Of these ids, the positions of those that are there. */
  positionsOf(ids: readonly PostId[]): number[] {
    if (ids.length === 0) return []
    const query = `SELECT position FROM entries WHERE id IN (${ids.map(() => '?').join()})`
    return [...this.#sql.exec(query, ...ids)].map((row) => int(row.position))
  }

  loadBetween(from: number, to: number): number {
    const row = this.#sql
      .exec(
        'SELECT coalesce(sum(length(bytes) + ?), 0) AS load FROM entries WHERE position >= ? AND position <= ?',
        ...[ENTRY_OVERHEAD_BYTES, from, to],
      )
      .one()
    return int(row.load)
  }

  after(position: number): Page {
    return this.#page('SELECT * FROM entries WHERE position > ? ORDER BY position LIMIT ?', position)
  }

  before(position: number): Page {
    return this.#page('SELECT * FROM entries WHERE position < ? ORDER BY position DESC LIMIT ?', position)
  }

  #page(query: string, position: number): Page {
    const entries: LogRow[] = []
    let sum = 0
    for (const row of this.#sql.exec(query, position, MAX_LOG_ENTRIES + 1)) {
      const bytes = blob(row.bytes)
      sum += bytes.length
      if (entries.length === MAX_LOG_ENTRIES || (entries.length > 0 && sum > MAX_FETCH_BYTES)) {
        return { entries, more: true }
      }
      entries.push({ position: int(row.position), before: blob<Head>(row.before), bytes })
    }
    return { entries, more: false }
  }
}
