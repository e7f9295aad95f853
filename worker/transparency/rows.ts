import { appended, manifestLeaf, type Nodes } from '#core/identity/merkle.ts'
import type { AccountId } from '#core/wire/ids.ts'
import { blob, hasTables, int } from '../storage/values.ts'

/** `nodes` holds the hash of every whole subtree, so that a head or a path reads some dozens of rows (TRL3). */
const SCHEMA = `
  CREATE TABLE nodes (level INTEGER NOT NULL, at INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (level, at)) WITHOUT ROWID;
  CREATE TABLE leaves (
    at INTEGER PRIMARY KEY, account BLOB NOT NULL, sequence INTEGER NOT NULL, hash BLOB NOT NULL,
    UNIQUE (account, sequence, hash));
  CREATE INDEX leaves_of ON leaves (account, at);
`
const MAX_LEAVES = 256

export type Logged = { readonly account: AccountId; readonly sequence: number; readonly hash: Uint8Array }
export type Leaf = Pick<Logged, 'sequence' | 'hash'> & { readonly index: number }

/** The realm's log of manifests (docs/spec/transparency.md). Rows are added, and none is ever changed. */
export class TransparencyRows {
  readonly #sql: SqlStorage

  static open(sql: SqlStorage): TransparencyRows | undefined {
    return hasTables(sql, 'leaves') ? new TransparencyRows(sql) : undefined
  }

  /** Inside a transaction. */
  static openOrCreate(sql: SqlStorage): TransparencyRows {
    if (!hasTables(sql, 'leaves')) sql.exec(SCHEMA)
    return new TransparencyRows(sql)
  }

  private constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  get size(): number {
    return int(this.#sql.exec('SELECT coalesce(max(at) + 1, 0) AS size FROM leaves').one().size)
  }

  readonly nodes: Nodes = (level, at) =>
    blob(this.#sql.exec('SELECT hash FROM nodes WHERE level = ? AND at = ?', level, at).one().hash)

  /** Inside a transaction. TRL1: what is there already stays where it is. */
  append({ account, sequence, hash }: Logged): void {
    const same = 'SELECT 1 FROM leaves WHERE account = ? AND sequence = ? AND hash = ?'
    if (this.#sql.exec(same, account, sequence, hash).toArray().length > 0) return
    const { size } = this
    for (const node of appended(size, manifestLeaf(account, sequence, hash), this.nodes)) {
      this.#sql.exec('INSERT INTO nodes VALUES (?, ?, ?)', node.level, node.index, node.hash)
    }
    this.#sql.exec('INSERT INTO leaves VALUES (?, ?, ?, ?)', size, account, sequence, hash)
  }

  /** The newest of this number among the first `size`. */
  indexOf(account: AccountId, sequence: number, size: number): number | undefined {
    const query = 'SELECT max(at) AS at FROM leaves WHERE account = ? AND sequence = ? AND at < ?'
    const { at } = this.#sql.exec(query, account, sequence, size).one()
    return at === null ? undefined : int(at)
  }

  /** From this index on. */
  leavesOf(account: AccountId, from: number): { readonly leaves: readonly Leaf[]; readonly more: boolean } {
    const query = 'SELECT at, sequence, hash FROM leaves WHERE account = ? AND at >= ? ORDER BY at LIMIT ?'
    const rows = this.#sql.exec(query, account, from, MAX_LEAVES + 1).toArray()
    const leaves = rows
      .slice(0, MAX_LEAVES)
      .map((row) => ({ index: int(row.at), sequence: int(row.sequence), hash: blob(row.hash) }))
    return { leaves, more: rows.length > MAX_LEAVES }
  }
}
