import type { TokenHash, WakeLabel } from '#core/wire/ids.ts'
import { MAX_FETCH_BYTES, MAX_MAILBOX_ITEMS } from '#core/wire/limits.ts'
import type { MailItem } from '#core/wire/operations.ts'
import type { Load } from '../rules/quota.ts'
import { blob, blobOrNone, hasTables, int } from '../storage/values.ts'

const SCHEMA = `
  CREATE TABLE mailbox (
    one INTEGER PRIMARY KEY CHECK (one = 1), token_hash BLOB NOT NULL, closer BLOB, closed INTEGER NOT NULL, session TEXT);
  CREATE TABLE items (
    n INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE, day INTEGER NOT NULL, envelope BLOB);
  CREATE TABLE labels (label BLOB PRIMARY KEY, seen INTEGER NOT NULL, day INTEGER NOT NULL) WITHOUT ROWID;
`

/** What a mailbox keeps. The id of an item outlives its envelope, so that a welcome that is sent again is known again. */
export class MailboxRows {
  readonly #sql: SqlStorage
  readonly tokenHash: TokenHash
  #closer: TokenHash | undefined
  #closed: boolean
  #attached: string | undefined

  static create(sql: SqlStorage, tokenHash: TokenHash, closer: TokenHash | undefined): void {
    sql.exec(SCHEMA)
    sql.exec('INSERT INTO mailbox VALUES (1, ?, ?, 0, NULL)', tokenHash, closer ?? null)
  }

  static open(sql: SqlStorage): MailboxRows | undefined {
    return hasTables(sql, 'mailbox') ? new MailboxRows(sql) : undefined
  }

  constructor(sql: SqlStorage) {
    this.#sql = sql
    const row = sql.exec('SELECT * FROM mailbox').one()
    this.tokenHash = blob<TokenHash>(row.token_hash)
    this.#closer = blobOrNone<TokenHash>(row.closer)
    this.#closed = row.closed === 1
    this.#attached = typeof row.session === 'string' ? row.session : undefined
  }

  get attached(): string | undefined {
    return this.#attached
  }

  attach(session: string): void {
    if (session === this.#attached) return
    this.#attached = session
    this.#sql.exec('UPDATE mailbox SET session = ?', session)
  }

  detach(): void {
    this.#attached = undefined
    this.#sql.exec('UPDATE mailbox SET session = NULL')
  }

  get closer(): TokenHash | undefined {
    return this.#closer
  }

  letClose(closer: TokenHash): void {
    this.#sql.exec('UPDATE mailbox SET closer = ?', closer)
    this.#closer = closer
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /** Inside a transaction. Only the hashes stay: they answer who asks again. */
  close(): void {
    this.#sql.exec('DELETE FROM items')
    this.#sql.exec('DELETE FROM labels')
    this.#sql.exec('UPDATE mailbox SET closed = 1, session = NULL')
    this.#attached = undefined
    this.#closed = true
  }

  get load(): Load {
    const row = this.#sql
      .exec('SELECT count(*) AS n, coalesce(sum(length(envelope)), 0) AS bytes FROM items WHERE envelope IS NOT NULL')
      .one()
    return { count: int(row.n), bytes: int(row.bytes) }
  }

  knowsItem(id: Uint8Array): boolean {
    return this.#sql.exec('SELECT 1 FROM items WHERE id = ?', id).toArray().length > 0
  }

  addItem(id: Uint8Array, envelope: Uint8Array, day: number): number {
    return int(
      this.#sql.exec('INSERT INTO items (id, day, envelope) VALUES (?, ?, ?) RETURNING n', id, day, envelope).one().n,
    )
  }

  itemsAfter(n: number): { readonly items: MailItem[]; readonly more: boolean } {
    const items: MailItem[] = []
    let bytes = 0
    const rows = this.#sql.exec(
      'SELECT n, envelope FROM items WHERE n > ? AND envelope IS NOT NULL ORDER BY n LIMIT ?',
      ...[n, MAX_MAILBOX_ITEMS + 1],
    )
    for (const row of rows) {
      const envelope = blob(row.envelope)
      bytes += envelope.length
      if (items.length === MAX_MAILBOX_ITEMS || (items.length > 0 && bytes > MAX_FETCH_BYTES)) {
        return { items, more: true }
      }
      items.push({ n: int(row.n), envelope })
    }
    return { items, more: false }
  }

  dropItems(upTo: number): void {
    this.#sql.exec('UPDATE items SET envelope = NULL WHERE n <= ? AND envelope IS NOT NULL', upTo)
  }

  get labels(): number {
    return int(this.#sql.exec('SELECT count(*) AS n FROM labels').one().n)
  }

  hasLabel(label: WakeLabel): boolean {
    return this.#sql.exec('SELECT 1 FROM labels WHERE label = ?', label).toArray().length > 0
  }

  /** @param seen whether the device has heard of this wake already */
  addLabel(label: WakeLabel, seen: boolean, day: number): void {
    this.#sql.exec(
      'INSERT INTO labels VALUES (?, ?, ?) ON CONFLICT (label) DO UPDATE SET seen = excluded.seen',
      ...[label, seen ? 1 : 0, day],
    )
  }

  /** All of them; from here on an ack may drop them. */
  seeLabels(): WakeLabel[] {
    const rows = this.#sql.exec('SELECT label, seen FROM labels').toArray()
    if (rows.some((row) => row.seen === 0)) this.#sql.exec('UPDATE labels SET seen = 1 WHERE seen = 0')
    return rows.map((row) => blob<WakeLabel>(row.label))
  }

  /** DRP6: one that was woken again after the device saw it stays: its ack was for older news. */
  dropLabel(label: WakeLabel): void {
    this.#sql.exec('DELETE FROM labels WHERE label = ? AND seen = 1', label)
  }

  purge(tooOld: number, forgotten: number): void {
    this.#sql.exec('DELETE FROM items WHERE day <= ? OR (envelope IS NULL AND day <= ?)', tooOld, forgotten)
    this.#sql.exec('DELETE FROM labels WHERE day <= ?', tooOld)
  }

  get isEmpty(): boolean {
    return this.#sql.exec('SELECT 1 FROM items UNION ALL SELECT 1 FROM labels LIMIT 1').toArray().length === 0
  }
}
