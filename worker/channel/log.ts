import { firstHead, nextHead } from '#core/channel/chain.ts'
import { decodeCbor, encodeCbor } from '#core/wire/cbor.ts'
import type { Address, Head, PostId } from '#core/wire/ids.ts'
import { MAX_FETCH_BYTES, MAX_FETCH_ENVELOPES, MAX_MESSAGE_BYTES } from '#core/wire/limits.ts'
import type { Ordered, Place } from '#core/wire/operations.ts'
import { type SeatChanges, seatChanges } from '#core/wire/seats.ts'
import type { Standing } from '../rules/ordering.ts'
import type { Load } from '../rules/quota.ts'
import { blob, int } from '../storage/values.ts'
import { IDS_SCHEMA, PostIds } from './post-ids.ts'

const LOG_SCHEMA = `
  CREATE TABLE channel (
    one INTEGER PRIMARY KEY CHECK (one = 1), address BLOB NOT NULL, commits INTEGER NOT NULL, last_commit INTEGER NOT NULL,
    floor INTEGER NOT NULL, floor_head BLOB NOT NULL, emptied INTEGER NOT NULL);
  CREATE TABLE log (
    position INTEGER PRIMARY KEY, id BLOB NOT NULL, commits INTEGER NOT NULL, is_commit INTEGER NOT NULL,
    head BLOB NOT NULL, day INTEGER NOT NULL, seats BLOB, envelope BLOB);
  ${IDS_SCHEMA}`

export type Entry = {
  readonly id: PostId
  readonly commits: number
  readonly commit: boolean
  readonly envelope: Uint8Array
  readonly seats?: SeatChanges
}

/**
 * A channel's one order. Rows outlive their envelopes, because ids deduplicate and heads prove the order for a while
 * longer; `floor` is the last position whose row is gone, `emptied` the last one whose envelope is.
 */
export class ChannelLog {
  readonly #sql: SqlStorage
  readonly #ids: PostIds
  #last: Place
  #commits: number
  #lastCommit: number
  #floor: Place
  #emptied: number
  #queued: Load

  static create(sql: SqlStorage, address: Address): void {
    sql.exec(LOG_SCHEMA)
    sql.exec('INSERT INTO channel VALUES (1, ?, 0, 0, 0, ?, 0)', address, firstHead(address))
  }

  constructor(sql: SqlStorage) {
    this.#sql = sql
    this.#ids = new PostIds(sql)
    const row = sql.exec('SELECT commits, last_commit, floor, floor_head, emptied FROM channel').one()
    this.#commits = int(row.commits)
    this.#lastCommit = int(row.last_commit)
    this.#floor = { position: int(row.floor), head: blob<Head>(row.floor_head) }
    this.#emptied = int(row.emptied)
    const [newest] = sql.exec('SELECT position, head FROM log ORDER BY position DESC LIMIT 1').toArray()
    this.#last = newest ? { position: int(newest.position), head: blob<Head>(newest.head) } : this.#floor
    const queued = sql
      .exec(
        'SELECT count(*) AS n, coalesce(sum(length(envelope)), 0) AS bytes FROM log WHERE position > ?',
        this.#emptied,
      )
      .one()
    this.#queued = { count: int(queued.n), bytes: int(queued.bytes) }
  }

  get standing(): Standing {
    return { last: this.#last, commits: this.#commits, lastCommit: this.#lastCommit }
  }

  get queued(): Load {
    return this.#queued
  }

  get emptied(): number {
    return this.#emptied
  }

  /** Inside a transaction: whoever rolls it back makes a new ChannelLog. */
  append({ id, commits, commit, envelope, seats }: Entry, day: number): Ordered {
    const position = this.#last.position + 1
    const item: Ordered = { position, commits, commit, id, envelope, ...(seats === undefined ? {} : { seats }) }
    const head = nextHead(this.#last.head, item)
    const encodedSeats = seats === undefined ? null : encodeCbor(seats)
    this.#sql.exec(
      'INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      ...[position, id, commits, commit ? 1 : 0, head, day, encodedSeats, envelope],
    )
    this.#ids.add(id, position)
    if (commit) {
      this.#commits += 1
      this.#lastCommit = position
      this.#sql.exec('UPDATE channel SET commits = ?, last_commit = ?', this.#commits, position)
    }
    this.#last = { position, head }
    this.#queued = { count: this.#queued.count + 1, bytes: this.#queued.bytes + envelope.length }
    return item
  }

  /** CHN5: where the entries of these ids stand, of those that were ever ordered. */
  positionsOf(ids: readonly PostId[]): ReadonlyMap<string, number> {
    return this.#ids.positionsOf(ids)
  }

  /** Puts into the index what came since the last time. */
  settle(): void {
    this.#ids.settle(this.#last.position)
  }

  headAt(position: number): Head | undefined {
    if (position === this.#last.position) return this.#last.head
    if (position === this.#floor.position) return this.#floor.head
    const [row] = this.#sql.exec('SELECT head FROM log WHERE position = ?', position).toArray()
    return row ? blob<Head>(row.head) : undefined
  }

  after(position: number): Ordered[] {
    const items: Ordered[] = []
    let bytes = 0
    const rows = this.#sql.exec(
      'SELECT position, commits, is_commit, id, seats, envelope FROM log WHERE position > ? ORDER BY position LIMIT ?',
      ...[position, MAX_FETCH_ENVELOPES],
    )
    for (const row of rows) {
      const envelope = blob(row.envelope)
      const seats = row.seats === null ? undefined : blob(row.seats)
      bytes += envelope.length + (seats?.length ?? 0)
      if (items.length > 0 && bytes > MAX_FETCH_BYTES) break
      items.push({
        position: int(row.position),
        commits: int(row.commits),
        commit: row.is_commit === 1,
        id: blob<PostId>(row.id),
        envelope,
        ...(seats === undefined ? {} : { seats: seatChanges.check(decodeCbor(seats, MAX_MESSAGE_BYTES)) }),
      })
    }
    return items
  }

  /** T-05: drops the envelopes up to `acked`, and those of `tooOld` days; then the rows that nothing asks for any more. */
  purge(acked: number, tooOld: number, forgotten: number): void {
    const old = this.#sql
      .exec('SELECT coalesce(max(position), 0) AS p FROM log WHERE position > ? AND day <= ?', this.#emptied, tooOld)
      .one()
    const upTo = Math.max(this.#emptied, acked, int(old.p))
    if (upTo > this.#emptied) {
      const freed = this.#sql
        .exec(
          'SELECT count(*) AS n, coalesce(sum(length(envelope)), 0) AS bytes FROM log WHERE position > ? AND position <= ?',
          ...[this.#emptied, upTo],
        )
        .one()
      this.#sql.exec('UPDATE log SET envelope = NULL WHERE position > ? AND position <= ?', this.#emptied, upTo)
      this.#sql.exec('UPDATE channel SET emptied = ?', upTo)
      this.#emptied = upTo
      this.#queued = { count: this.#queued.count - int(freed.n), bytes: this.#queued.bytes - int(freed.bytes) }
    }
    this.#forget(forgotten)
  }

  get isEmpty(): boolean {
    return this.#floor.position === this.#last.position
  }

  #forget(day: number): void {
    const [row] = this.#sql
      .exec(
        'SELECT position, head FROM log WHERE position <= ? AND day <= ? ORDER BY position DESC LIMIT 1',
        ...[this.#emptied, day],
      )
      .toArray()
    if (!row) return
    this.#floor = { position: int(row.position), head: blob<Head>(row.head) }
    this.#ids.forget(this.#floor.position)
    this.#sql.exec('DELETE FROM log WHERE position <= ?', this.#floor.position)
    this.#sql.exec('UPDATE channel SET floor = ?, floor_head = ?', this.#floor.position, this.#floor.head)
  }
}
