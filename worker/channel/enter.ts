import { equalBytes } from '#core/bytes/equal.ts'
import { labels } from '#core/crypto/labels.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import type { SeatId, Token } from '#core/wire/ids.ts'
import type { Refusal } from '#core/wire/message.ts'
import { refuse } from '../answer.ts'
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
