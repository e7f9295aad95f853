import { firstHead } from '#core/channel/chain.ts'
import type { Address } from '#core/wire/ids.ts'
import type { NewSeat } from '#core/wire/seats.ts'
import { hasTables } from '../storage/values.ts'
import { Asks } from './asks.ts'
import { ENTRIES_SCHEMA, Entries } from './entries.ts'
import { ChannelLog } from './log.ts'
import { OUTBOX_SCHEMA, Outbox } from './outbox.ts'
import { SEATS_SCHEMA, Seats } from './seats.ts'
import { Stash } from './stash.ts'
import { STATE_SCHEMA, State } from './state.ts'
import { Tellings } from './tellings.ts'

export type ChannelRows = {
  readonly log: ChannelLog
  readonly seats: Seats
  readonly entries: Entries
  readonly state: State
  readonly stash: Stash
  readonly asks: Asks
  readonly outbox: Outbox
  readonly tellings: Tellings
}

/** @returns undefined for an address that nobody opened; such an object writes nothing */
export function openRows(sql: SqlStorage): ChannelRows | undefined {
  if (!hasTables(sql, 'channel')) return undefined
  return {
    log: new ChannelLog(sql),
    seats: new Seats(sql),
    entries: new Entries(sql),
    state: new State(sql),
    stash: new Stash(sql),
    asks: new Asks(sql),
    outbox: new Outbox(sql),
    tellings: new Tellings(sql),
  }
}

/** Inside a transaction. */
export function createRows(sql: SqlStorage, address: Address, seat: NewSeat): void {
  ChannelLog.create(sql, address)
  sql.exec(SEATS_SCHEMA)
  sql.exec(ENTRIES_SCHEMA)
  sql.exec(STATE_SCHEMA)
  sql.exec(OUTBOX_SCHEMA)
  new Seats(sql).add({ ...seat, entry: seat.entry.id }, { position: 0, head: firstHead(address) })
  new Entries(sql).add(seat.entry, seat.moderator)
}
