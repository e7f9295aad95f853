import { toBase64url } from '#core/bytes/base64url.ts'
import type { EntryId, Head, SeatId, TokenHash } from '#core/wire/ids.ts'
import type { Place } from '#core/wire/operations.ts'
import { blob, int, intOrNone } from '../storage/values.ts'

export const SEATS_SCHEMA = `
  CREATE TABLE seats (
    id BLOB PRIMARY KEY, token_hash BLOB NOT NULL, moderator INTEGER NOT NULL, drop_ BLOB NOT NULL, cursor INTEGER NOT NULL,
    added INTEGER NOT NULL, added_head BLOB NOT NULL, removed_day INTEGER, entry BLOB NOT NULL) WITHOUT ROWID;
`

export type Seat = {
  readonly id: SeatId
  readonly entry: EntryId // seats of one account in this channel share it
  tokenHash: TokenHash
  moderator: boolean
  readonly drop: Uint8Array
  readonly added: Place // what came before is not for this seat
  cursor: number
  removedDay: number | undefined
  /** Not stored: a label that lies in the mailbox; a restart tells the seat once more. */
  quiet: boolean
}

/** A channel's seats, all in memory: at most a thousand. Cursors reach the disk by and by; a lost one only costs time. */
export class Seats {
  readonly #sql: SqlStorage
  readonly #seats = new Map<string, Seat>()
  readonly #moved = new Set<Seat>()

  constructor(sql: SqlStorage) {
    this.#sql = sql
    for (const row of sql.exec('SELECT * FROM seats')) {
      const seat: Seat = {
        id: blob<SeatId>(row.id),
        entry: blob<EntryId>(row.entry),
        tokenHash: blob<TokenHash>(row.token_hash),
        moderator: row.moderator === 1,
        drop: blob(row.drop_),
        cursor: int(row.cursor),
        added: { position: int(row.added), head: blob<Head>(row.added_head) },
        removedDay: intOrNone(row.removed_day),
        quiet: false,
      }
      this.#seats.set(toBase64url(seat.id), seat)
    }
  }

  at(id: Uint8Array): Seat | undefined {
    return this.#seats.get(toBase64url(id))
  }

  all(): IterableIterator<Seat> {
    return this.#seats.values()
  }

  get live(): number {
    let n = 0
    for (const seat of this.#seats.values()) if (seat.removedDay === undefined) n++
    return n
  }

  /** CHN9: a tombstone that is added again goes on where it was, so that a void removal can be undone. */
  add(seat: Pick<Seat, 'id' | 'entry' | 'tokenHash' | 'moderator' | 'drop'>, added: Place): void {
    const before = this.at(seat.id)
    const place = before?.added ?? added
    const cursor = before?.cursor ?? added.position
    this.#seats.set(toBase64url(seat.id), { ...seat, added: place, cursor, removedDay: undefined, quiet: false })
    this.#sql.exec(
      'INSERT OR REPLACE INTO seats VALUES (?, ?, ?, ?, ?, ?, ?, NULL, ?)',
      ...[seat.id, seat.tokenHash, seat.moderator ? 1 : 0, seat.drop, cursor, place.position, place.head, seat.entry],
    )
  }

  remove(id: SeatId, day: number): void {
    const seat = this.at(id)
    if (seat === undefined || seat.removedDay !== undefined) return
    seat.removedDay = day
    this.#sql.exec('UPDATE seats SET removed_day = ? WHERE id = ?', day, id)
  }

  /** A tombstone's too: its entry may come back (CHN20). */
  moderate(seat: Seat, moderator: boolean): void {
    seat.moderator = moderator
    this.#sql.exec('UPDATE seats SET moderator = ? WHERE id = ?', moderator ? 1 : 0, seat.id)
  }

  retoken(seat: Seat, tokenHash: TokenHash): void {
    seat.tokenHash = tokenHash
    this.#sql.exec('UPDATE seats SET token_hash = ? WHERE id = ?', tokenHash, seat.id)
  }

  /** @returns whether the cursor moved; it is on disk after the next `flush` */
  move(seat: Seat, cursor: number): boolean {
    if (cursor <= seat.cursor) return false
    seat.cursor = cursor
    this.#moved.add(seat)
    return true
  }

  flush(): void {
    for (const seat of this.#moved) this.#sql.exec('UPDATE seats SET cursor = ? WHERE id = ?', seat.cursor, seat.id)
    this.#moved.clear()
  }

  get hasMoved(): boolean {
    return this.#moved.size > 0
  }

  forgetRemoved(day: number): void {
    for (const [name, seat] of this.#seats) {
      if (seat.removedDay === undefined || seat.removedDay > day) continue
      this.#seats.delete(name)
      this.#sql.exec('DELETE FROM seats WHERE id = ?', seat.id)
    }
  }

  get hasRemoved(): boolean {
    for (const seat of this.#seats.values()) if (seat.removedDay !== undefined) return true
    return false
  }
}
