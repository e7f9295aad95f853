import { equalBytes } from '#core/bytes/equal.ts'
import { labels } from '#core/crypto/labels.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import type { EntryId, SeatId, Token } from '#core/wire/ids.ts'
import type { Refusal } from '#core/wire/message.ts'
import { refuse } from '../answer.ts'
import type { Entry } from './entries.ts'
import type { ChannelRows } from './rows.ts'
import type { Seat } from './seats.ts'

export type SeatKey = { readonly seat: SeatId; readonly token: Token }
export type Entered = { readonly rows: ChannelRows; readonly seat: Seat }

/** CHN1: nothing happens in a channel without the token of a living seat; a removed one is told so, if it has its token. */
export function enter(rows: ChannelRows | undefined, key: SeatKey): Entered | { readonly refusal: Refusal } {
  if (rows === undefined) return refuse('channel/unknown')
  const seat = rows.seats.at(key.seat)
  if (seat === undefined || !equalBytes(seat.tokenHash, hashToken(labels.seatToken, key.token))) {
    return refuse('seat/refused')
  }
  if (seat.removedDay !== undefined) return refuse('seat/removed')
  return { rows, seat }
}

export type EntryKey = { readonly entry: EntryId; readonly token: Token }
export type Admitted = { readonly rows: ChannelRows; readonly entry: Entry }

/** CHN15: who holds an entry's token speaks for its account; one that was removed is told so. */
export function admit(rows: ChannelRows | undefined, key: EntryKey): Admitted | { readonly refusal: Refusal } {
  if (rows === undefined) return refuse('channel/unknown')
  const entry = rows.entries.at(key.entry)
  if (entry === undefined || !equalBytes(entry.tokenHash, hashToken(labels.entryToken, key.token))) {
    return refuse('entry/refused')
  }
  if (entry.closedDay !== undefined) return refuse('entry/removed')
  return { rows, entry }
}
