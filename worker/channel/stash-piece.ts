import type { EntryId } from '#core/wire/ids.ts'
import type { ReplyOf } from '#core/wire/operations.ts'
import { type Answer, DONE, overQuota, refuse } from '../answer.ts'
import { DAY_MS } from '../clock.ts'
import { ENTRY_STASH_BYTES, STASH_BYTES } from '../rules/quota.ts'
import type { Piece, Stash } from './stash.ts'

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
      const more = piece.bytes.length
      if (all + more > STASH_BYTES || unnamed + more > ENTRY_STASH_BYTES) return overQuota('stash', DAY_MS)
      stash.put(piece, entry, day)
      return DONE
    }
  }
}
