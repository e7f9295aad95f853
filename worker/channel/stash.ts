import { equalBytes } from '#core/bytes/equal.ts'
import type { EntryId } from '#core/wire/ids.ts'
import { blob, hasTables, int } from '../storage/values.ts'

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS stash (
    id BLOB NOT NULL, n INTEGER NOT NULL, pieces INTEGER NOT NULL, entry BLOB NOT NULL, day INTEGER NOT NULL,
    named INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (id, n)) WITHOUT ROWID;
`

export type StashName = { readonly id: Uint8Array; readonly pieces: number }
export type Piece = { readonly stash: StashName; readonly n: number; readonly bytes: Uint8Array }
/** What lies here: of everybody, and of what one entry brought and no commit has named. */
export type StashLoad = { readonly all: number; readonly unnamed: number }

/** CHN21: pieces of sealed trees that are too large for a welcome. Its table is made with the first of them. */
export class Stash {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** 'new': there is none of that number; 'taken': there is another one, or its stash has another length. */
  judge({ stash, n, bytes }: Piece): 'new' | 'same' | 'taken' {
    if (this.#isMissing) return 'new'
    const [other] = this.#sql.exec('SELECT pieces FROM stash WHERE id = ? LIMIT 1', stash.id).toArray()
    if (other !== undefined && int(other.pieces) !== stash.pieces) return 'taken'
    const there = this.at(stash.id, n)
    if (there === undefined) return 'new'
    return equalBytes(there, bytes) ? 'same' : 'taken'
  }

  load(entry: EntryId): StashLoad {
    if (this.#isMissing) return { all: 0, unnamed: 0 }
    const unnamed = 'CASE WHEN entry = ? AND named = 0 THEN length(bytes) ELSE 0 END'
    const row = this.#sql
      .exec(`SELECT total(length(bytes)) AS all_, total(${unnamed}) AS unnamed FROM stash`, entry)
      .one()
    return { all: int(row.all_), unnamed: int(row.unnamed) }
  }

  /** Inside a transaction. */
  put({ stash, n, bytes }: Piece, entry: EntryId, day: number): void {
    this.#sql.exec(SCHEMA)
    this.#sql.exec('INSERT INTO stash VALUES (?, ?, ?, ?, ?, 0, ?)', stash.id, n, stash.pieces, entry, day, bytes)
  }

  at(id: Uint8Array, n: number): Uint8Array | undefined {
    if (this.#isMissing) return undefined
    const [row] = this.#sql.exec('SELECT bytes FROM stash WHERE id = ? AND n = ?', id, n).toArray()
    return row && blob(row.bytes)
  }

  isWhole({ id, pieces }: StashName): boolean {
    if (this.#isMissing || pieces === 0) return false
    const row = this.#sql.exec('SELECT count(*) AS n FROM stash WHERE id = ? AND pieces = ?', id, pieces).one()
    return int(row.n) === pieces
  }

  /** Inside a transaction: a commit was ordered that names it, so joiners will ask for it. */
  name({ id }: StashName, day: number): void {
    this.#sql.exec('UPDATE stash SET named = 1, day = ? WHERE id = ?', day, id)
  }

  /** Pieces of this day or before go: of what a commit named, and of what none did. */
  purge(namedDay: number, unnamedDay: number): void {
    if (this.#isMissing) return
    this.#sql.exec('DELETE FROM stash WHERE day <= CASE named WHEN 1 THEN ? ELSE ? END', namedDay, unnamedDay)
  }

  get isEmpty(): boolean {
    return this.#isMissing || this.#sql.exec('SELECT 1 FROM stash LIMIT 1').toArray().length === 0
  }

  get #isMissing(): boolean {
    return !hasTables(this.#sql, 'stash')
  }
}
