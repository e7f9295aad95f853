import type { EntryId } from '#core/wire/ids.ts'
import type { SealedState } from '#core/wire/operations.ts'
import { blob, hasTables, int } from '../storage/values.ts'
import type { Stash, StashName } from './stash.ts'

export const STATE_SCHEMA = `
  CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER NOT NULL, info BLOB NOT NULL);
  CREATE TABLE boxes (entry BLOB PRIMARY KEY, box BLOB NOT NULL) WITHOUT ROWID;
`
/** Of a state that a member left because it was asked for (CHN23); `n` counts them. Made with the first. */
const LEFT_SCHEMA = `
  CREATE TABLE IF NOT EXISTS left_state (
    one INTEGER PRIMARY KEY CHECK (one = 1), n INTEGER NOT NULL, stash BLOB, pieces INTEGER NOT NULL);
`

export type FoundState = {
  readonly info: Uint8Array
  readonly box: Uint8Array
  readonly position: number
  readonly n: number
  readonly stash?: StashName // where `info` is empty: its pieces
}

/** CHN17: the sealed state of the newest epoch for which there is one, and for each entry a box with its key. */
export class State {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Inside a transaction: a commit brings it. */
  replace(position: number, { info, boxes }: SealedState, isEntry: (id: EntryId) => boolean): void {
    this.#sql.exec('DELETE FROM boxes')
    this.#put(position, info, boxes, isEntry)
  }

  /**
   * Inside a transaction: a member leaves it for the epoch that there is, whose boxes are of the same key and stay. What an
   * earlier one had left in pieces goes.
   */
  leave(
    position: number,
    { info, boxes }: SealedState,
    name: StashName | undefined,
    isEntry: (id: EntryId) => boolean,
    stash: Stash,
  ): void {
    const before = this.#left()
    if (before?.stash !== undefined) stash.dropState(before.stash)
    if (this.#position() !== position) this.#sql.exec('DELETE FROM boxes')
    this.#put(position, info, boxes, isEntry)
    this.#sql.exec(LEFT_SCHEMA)
    this.#sql.exec(
      'INSERT OR REPLACE INTO left_state VALUES (1, ?, ?, ?)',
      ...[(before?.n ?? 0) + 1, name?.id ?? null, name?.pieces ?? 0],
    )
  }

  /** Inside a transaction: another epoch began, in which nobody comes in by this. */
  outdate(stash: Stash): void {
    const left = this.#left()
    if (left?.stash === undefined) return
    stash.dropState(left.stash)
    this.#sql.exec('UPDATE left_state SET n = n + 1, stash = NULL, pieces = 0')
  }

  /** Inside a transaction. It was no good to that entry. @returns whether it is still the one */
  refuse(entry: EntryId, n: number): boolean {
    if ((this.#left()?.n ?? 0) !== n) return false
    return this.#sql.exec('DELETE FROM boxes WHERE entry = ? RETURNING entry', entry).toArray().length > 0
  }

  has(entry: EntryId, position: number): boolean {
    if (this.#position() !== position) return false
    return this.#sql.exec('SELECT 1 FROM boxes WHERE entry = ?', entry).toArray().length > 0
  }

  /** @returns undefined when there is no state, or no box for this entry: then the state is nothing to it */
  for(entry: EntryId): FoundState | undefined {
    const [box] = this.#sql.exec('SELECT box FROM boxes WHERE entry = ?', entry).toArray()
    const [state] = this.#sql.exec('SELECT position, info FROM state').toArray()
    if (box === undefined || state === undefined) return undefined
    const { n = 0, stash } = this.#left() ?? {}
    const info = blob(state.info)
    const found = { info, box: blob(box.box), position: int(state.position), n }
    return stash === undefined || info.length > 0 ? found : { ...found, stash }
  }

  #put(position: number, info: Uint8Array, boxes: SealedState['boxes'], isEntry: (id: EntryId) => boolean): void {
    this.#sql.exec('INSERT OR REPLACE INTO state VALUES (1, ?, ?)', position, info)
    for (const { entry, box } of boxes) {
      if (isEntry(entry)) this.#sql.exec('INSERT OR REPLACE INTO boxes VALUES (?, ?)', entry, box)
    }
  }

  #position(): number {
    const [state] = this.#sql.exec('SELECT position FROM state').toArray()
    return state === undefined ? 0 : int(state.position)
  }

  #left(): { readonly n: number; readonly stash?: StashName } | undefined {
    if (!hasTables(this.#sql, 'left_state')) return undefined
    const [row] = this.#sql.exec('SELECT n, stash, pieces FROM left_state').toArray()
    if (row === undefined) return undefined
    const n = int(row.n)
    return row.stash === null ? { n } : { n, stash: { id: blob(row.stash), pieces: int(row.pieces) } }
  }
}
