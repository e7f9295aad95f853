import type { EntryId } from '#core/wire/ids.ts'
import type { SealedState } from '#core/wire/operations.ts'
import { blob, int } from '../storage/values.ts'

export const STATE_SCHEMA = `
  CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER NOT NULL, info BLOB NOT NULL);
  CREATE TABLE boxes (entry BLOB PRIMARY KEY, box BLOB NOT NULL) WITHOUT ROWID;
`

/** CHN17: the sealed state of the newest commit that brought one, and for each entry a box with its key. */
export class State {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Inside a transaction. */
  replace(position: number, { info, boxes }: SealedState, isEntry: (id: EntryId) => boolean): void {
    this.#sql.exec('INSERT OR REPLACE INTO state VALUES (1, ?, ?)', position, info)
    this.#sql.exec('DELETE FROM boxes')
    for (const { entry, box } of boxes) {
      if (isEntry(entry)) this.#sql.exec('INSERT OR REPLACE INTO boxes VALUES (?, ?)', entry, box)
    }
  }

  /** @returns undefined when there is no state, or no box for this entry: then the state is nothing to it */
  for(entry: EntryId): { readonly info: Uint8Array; readonly box: Uint8Array; readonly position: number } | undefined {
    const [box] = this.#sql.exec('SELECT box FROM boxes WHERE entry = ?', entry).toArray()
    const [state] = this.#sql.exec('SELECT position, info FROM state').toArray()
    return box && state && { info: blob(state.info), box: blob(box.box), position: int(state.position) }
  }
}
