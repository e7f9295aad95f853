import type { PostId } from '#core/wire/ids.ts'
import { blob, int } from '../storage/values.ts'

export const IDS_SCHEMA = `
  CREATE TABLE ids (id BLOB PRIMARY KEY, position INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE indexed (one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER NOT NULL);
  INSERT INTO indexed VALUES (1, 0);
`

const MOST_RECENT = 16_384

/**
 * Which ids were ordered, and where. Ids are random, so each one put into an index by itself writes a page of its own:
 * they go in together, sorted, with the alarm. Until then they are in memory, and in the log for whoever wakes up.
 */
export class PostIds {
  readonly #sql: SqlStorage
  readonly #recent = new Map<string, number>()
  #indexed: number

  constructor(sql: SqlStorage) {
    this.#sql = sql
    this.#indexed = int(sql.exec('SELECT position FROM indexed').one().position)
    for (const row of sql.exec('SELECT id, position FROM log WHERE position > ?', this.#indexed)) {
      this.#recent.set(nameOf(blob(row.id)), int(row.position))
    }
  }

  add(id: PostId, position: number): void {
    if (this.#recent.size >= MOST_RECENT) this.settle(position)
    else this.#recent.set(nameOf(id), position)
  }

  positionsOf(ids: readonly PostId[]): ReadonlyMap<string, number> {
    const found = new Map<string, number>()
    for (const id of ids) {
      const name = nameOf(id)
      const position = this.#recent.get(name)
      if (position !== undefined) found.set(name, position)
    }
    if (this.#indexed === 0 || found.size === ids.length) return found
    const query = `SELECT id, position FROM ids WHERE id IN (${ids.map(() => '?').join()})`
    for (const row of this.#sql.exec(query, ...ids)) found.set(nameOf(blob(row.id)), int(row.position))
    return found
  }

  /** @param last the log's end */
  settle(last: number): void {
    if (last === this.#indexed) return
    this.#sql.exec('INSERT INTO ids SELECT id, position FROM log WHERE position > ? ORDER BY id', this.#indexed)
    this.#sql.exec('UPDATE indexed SET position = ?', last)
    this.#indexed = last
    this.#recent.clear()
  }

  /** Before the log's rows go: up to this position nothing is known any more. */
  forget(position: number): void {
    this.#sql.exec('DELETE FROM ids WHERE id IN (SELECT id FROM log WHERE position <= ?)', position)
  }
}

/** An id as a map's key. */
export function nameOf(id: Uint8Array): string {
  return String.fromCharCode(...id)
}
