import { toBase64url } from '#core/bytes/base64url.ts'
import type { EntryId, TokenHash } from '#core/wire/ids.ts'
import { blob, int, intOrNone } from '../storage/values.ts'

export const ENTRIES_SCHEMA = `
  CREATE TABLE entries (
    id BLOB PRIMARY KEY, token_hash BLOB NOT NULL, moderator INTEGER NOT NULL, closed_day INTEGER) WITHOUT ROWID;
`

/** An account's place in this channel, without saying whose: it lasts while no seat of it lives (C-07). */
export type Entry = {
  readonly id: EntryId
  tokenHash: TokenHash
  moderator: boolean // may a seat that enters by itself moderate?
  closedDay: number | undefined // CHN16: the account was removed
}

export function isOpen(entry: Entry | undefined): entry is Entry {
  return entry !== undefined && entry.closedDay === undefined
}

/** A channel's entries, all in memory as its seats are. */
export class Entries {
  readonly #sql: SqlStorage
  readonly #entries = new Map<string, Entry>()

  constructor(sql: SqlStorage) {
    this.#sql = sql
    for (const row of sql.exec('SELECT * FROM entries')) {
      const id = blob<EntryId>(row.id)
      this.#entries.set(toBase64url(id), {
        id,
        tokenHash: blob<TokenHash>(row.token_hash),
        moderator: int(row.moderator) === 1,
        closedDay: intOrNone(row.closed_day),
      })
    }
  }

  at(id: EntryId): Entry | undefined {
    return this.#entries.get(toBase64url(id))
  }

  /** CHN15: the first seat of an entry brings its token's hash. One that is known keeps its own, and opens again. */
  add({ id, tokenHash }: Pick<Entry, 'id' | 'tokenHash'>, moderator: boolean): void {
    const entry: Entry = { id, tokenHash: this.at(id)?.tokenHash ?? tokenHash, moderator, closedDay: undefined }
    this.#entries.set(toBase64url(id), entry)
    this.#sql.exec('INSERT OR REPLACE INTO entries VALUES (?, ?, ?, NULL)', id, entry.tokenHash, moderator ? 1 : 0)
  }

  moderate(entry: Entry, moderator: boolean): void {
    entry.moderator = moderator
    this.#sql.exec('UPDATE entries SET moderator = ? WHERE id = ?', moderator ? 1 : 0, entry.id)
  }

  retoken(entry: Entry, tokenHash: TokenHash): void {
    entry.tokenHash = tokenHash
    this.#sql.exec('UPDATE entries SET token_hash = ? WHERE id = ?', tokenHash, entry.id)
  }

  /** One that is known and was closed. */
  open(id: EntryId): void {
    const entry = this.at(id)
    if (entry?.closedDay === undefined) return
    entry.closedDay = undefined
    this.#sql.exec('UPDATE entries SET closed_day = NULL WHERE id = ?', id)
  }

  close(entry: Entry, day: number): void {
    entry.closedDay = day
    this.#sql.exec('UPDATE entries SET closed_day = ? WHERE id = ?', day, entry.id)
  }

  forgetClosed(day: number): void {
    for (const [name, { id, closedDay }] of this.#entries) {
      if (closedDay === undefined || closedDay > day) continue
      this.#entries.delete(name)
      this.#sql.exec('DELETE FROM entries WHERE id = ?', id)
    }
  }

  get hasClosed(): boolean {
    for (const { closedDay } of this.#entries.values()) if (closedDay !== undefined) return true
    return false
  }
}
