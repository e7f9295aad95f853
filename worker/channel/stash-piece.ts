import type { EntryId } from '#core/wire/ids.ts'
import type { ReplyOf } from '#core/wire/operations.ts'
import { type Answer, DONE, overQuota, refuse } from '../answer.ts'
import { DAY_MS } from '../clock.ts'
import { ENTRY_STASH_BYTES, ENTRY_STASH_PIECES, fits, type Load, STASH_BYTES, STASH_PIECES } from '../rules/quota.ts'
import type { Piece, Stash } from './stash.ts'

const MOST: Load = { count: STASH_PIECES, bytes: STASH_BYTES }
const MOST_UNNAMED: Load = { count: ENTRY_STASH_PIECES, bytes: ENTRY_STASH_BYTES }

/** CHN21: a piece is written once. Inside a transaction. */
export function stashPiece(stash: Stash, piece: Piece, entry: EntryId, day: number): Answer<ReplyOf<'channel.stash'>> {
  if (piece.n >= piece.stash.pieces) return refuse('stash/piece')
  switch (stash.judge(piece)) {
    case 'same':
      return DONE
    case 'taken':
      return refuse('stash/taken')
    case 'new': {
      const { all, unnamed } = stash.load(entry)
      const more = { count: 1, bytes: piece.bytes.length }
      if (!fits(all, more, MOST) || !fits(unnamed, more, MOST_UNNAMED)) return overQuota('stash', DAY_MS)
      stash.put(piece, entry, day)
      return DONE
    }
  }
}
