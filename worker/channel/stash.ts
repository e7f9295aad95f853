import { equalBytes } from '#core/bytes/equal.ts'
import type { EntryId } from '#core/wire/ids.ts'
import { type Load, minus, plus } from '../rules/quota.ts'
import { blob, hasTables, int } from '../storage/values.ts'
import { nameOf } from './post-ids.ts'

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS stash (
    id BLOB NOT NULL, n INTEGER NOT NULL, pieces INTEGER NOT NULL, entry BLOB NOT NULL, day INTEGER NOT NULL,
    named INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (id, n)) WITHOUT ROWID;
`

export type StashName = { readonly id: Uint8Array; readonly pieces: number }
export type Piece = { readonly stash: StashName; readonly n: number; readonly bytes: Uint8Array }
/** What lies here: of everybody, and of what one entry brought and no commit has named. */
export type StashLoad = { readonly all: Load; readonly unnamed: Load }
/** The same in memory, `unnamed` by entry: to look at all pieces for each that comes would cost more than to keep it. */
type Sums = { all: Load; readonly unnamed: Map<string, Load> }

/** Who named a stash: nobody, a commit, a post (CHN22), or a state that was asked for (CHN23). */
const NAMED = { byCommit: 1, byPost: 2, byState: 3 } as const
const NOTHING: Load = { count: 0, bytes: 0 }

/** CHN21: pieces of what is too large for a welcome or a message. Its table is made with the first of them. */
export class Stash {
  readonly #sql: SqlStorage
  #sums: Sums | undefined
  #purged: number | undefined

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
    this.#sums ??= this.#measure()
    return { all: this.#sums.all, unnamed: this.#sums.unnamed.get(nameOf(entry)) ?? NOTHING }
  }

  /** Inside a transaction: whoever rolls it back makes a new Stash. */
  put({ stash, n, bytes }: Piece, entry: EntryId, day: number): void {
    this.#sql.exec(SCHEMA)
    this.#sums ??= this.#measure()
    const one = { count: 1, bytes: bytes.length }
    this.#sums.all = plus(this.#sums.all, one)
    countIn(this.#sums.unnamed, nameOf(entry), one)
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
    if (this.#sums) {
      for (const [entry, load] of this.#loads(`id = ? AND named <> ${NAMED.byCommit}`, id))
        countIn(this.#sums.unnamed, entry, minus(load))
    }
    this.#sql.exec('UPDATE stash SET named = ?, day = ? WHERE id = ?', NAMED.byCommit, day, id)
  }

  /** CHN22: by a post, of what its author's entry has brought and what is whole. Inside a transaction. @returns whether it is */
  nameByPost(stash: StashName, entry: EntryId, day: number): boolean {
    if (!this.isWhole(stash) || !this.#isOf(stash, entry)) return false
    const named = `CASE named WHEN ${NAMED.byCommit} THEN named ELSE ${NAMED.byPost} END`
    this.#sql.exec(`UPDATE stash SET named = ${named}, day = ? WHERE id = ?`, day, stash.id)
    return true
  }

  /** CHN23: the same, of what nobody has named: it goes with the state. Inside a transaction. */
  nameByState(stash: StashName, entry: EntryId, day: number): boolean {
    if (!this.isWhole(stash) || !this.#isOf(stash, entry)) return false
    const [other] = this.#sql.exec('SELECT 1 FROM stash WHERE id = ? AND named <> 0 LIMIT 1', stash.id)
    if (other !== undefined) return false
    this.#sql.exec('UPDATE stash SET named = ?, day = ? WHERE id = ?', NAMED.byState, day, stash.id)
    return true
  }

  dropState({ id }: StashName): void {
    if (this.#isMissing) return
    if (this.#sums) {
      for (const [entry, load] of this.#loads('id = ? AND named = ?', id, NAMED.byState)) {
        this.#sums.all = plus(this.#sums.all, minus(load))
        countIn(this.#sums.unnamed, entry, minus(load))
      }
    }
    this.#sql.exec('DELETE FROM stash WHERE id = ? AND named = ?', id, NAMED.byState)
  }

  #isOf({ id }: StashName, entry: EntryId): boolean {
    return [...this.#sql.exec('SELECT 1 FROM stash WHERE id = ? AND entry <> ? LIMIT 1', id, entry)].length === 0
  }

  /** Pieces of this day or before go: of what was named, and of what was not. Once a day: all are looked at. */
  purge(namedDay: number, unnamedDay: number): void {
    if (this.#isMissing || this.#purged === unnamedDay) return
    this.#purged = unnamedDay
    this.#sums = undefined
    this.#sql.exec('DELETE FROM stash WHERE day <= CASE named WHEN 0 THEN ? ELSE ? END', unnamedDay, namedDay)
  }

  get isEmpty(): boolean {
    return this.#isMissing || this.#sql.exec('SELECT 1 FROM stash LIMIT 1').toArray().length === 0
  }

  #measure(): Sums {
    if (this.#isMissing) return { all: NOTHING, unnamed: new Map() }
    const all = [...this.#loads('TRUE').values()].reduce(plus, NOTHING)
    return { all, unnamed: this.#loads(`named <> ${NAMED.byCommit}`) }
  }

  /** What these are, by entry. */
  #loads(which: string, ...bindings: (Uint8Array | number)[]): Map<string, Load> {
    const query = `SELECT entry, count(*) AS n, total(length(bytes)) AS bytes FROM stash WHERE ${which} GROUP BY entry`
    const rows = [...this.#sql.exec(query, ...bindings)]
    return new Map(rows.map((row) => [nameOf(blob(row.entry)), { count: int(row.n), bytes: int(row.bytes) }]))
  }

  get #isMissing(): boolean {
    return !hasTables(this.#sql, 'stash')
  }
}

function countIn(sums: Map<string, Load>, entry: string, more: Load): void {
  sums.set(entry, plus(sums.get(entry) ?? NOTHING, more))
}
