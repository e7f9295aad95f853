import { blob, hasTables, int } from '../storage/values.ts'

const SCHEMA = `
  CREATE TABLE link (one INTEGER PRIMARY KEY CHECK (one = 1), until INTEGER NOT NULL);
  CREATE TABLE slots (slot INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
`

/** What two devices leave for each other. It is all gone a quarter of an hour after it began. */
export class LinkRows {
  readonly #sql: SqlStorage
  readonly untilMs: number

  /** Inside a transaction. */
  static create(sql: SqlStorage, untilMs: number): LinkRows {
    sql.exec(SCHEMA)
    sql.exec('INSERT INTO link VALUES (1, ?)', untilMs)
    return new LinkRows(sql)
  }

  static open(sql: SqlStorage): LinkRows | undefined {
    return hasTables(sql, 'link') ? new LinkRows(sql) : undefined
  }

  private constructor(sql: SqlStorage) {
    this.#sql = sql
    this.untilMs = int(sql.exec('SELECT until FROM link').one().until)
  }

  at(slot: number): Uint8Array | undefined {
    const [row] = this.#sql.exec('SELECT bytes FROM slots WHERE slot = ?', slot).toArray()
    return row && blob(row.bytes)
  }

  put(slot: number, bytes: Uint8Array): void {
    this.#sql.exec('INSERT INTO slots VALUES (?, ?)', slot, bytes)
  }

  /** Inside a transaction: the tables too, so that nothing says that there was a link. */
  delete(): void {
    this.#sql.exec('DROP TABLE slots')
    this.#sql.exec('DROP TABLE link')
  }
}
