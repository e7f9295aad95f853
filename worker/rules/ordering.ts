import { equalBytes } from '#core/bytes/equal.ts'
import { MAX_COMMITS_BEHIND } from '#core/wire/limits.ts'
import type { Place } from '#core/wire/operations.ts'

/** Where a channel's one order stands. */
export type Standing = {
  readonly last: Place
  readonly commits: number
  readonly lastCommit: number // position, 0 when there is none
}

export type Comparison = 'same' | 'behind' | 'forked'

/**
 * CHN4: is the place that a client knows in this log? Ahead of it: the relay is an older copy of itself. At a
 * position whose head is another one: two stories were told (C-06). `headThere` is absent when it is no longer kept.
 */
export function compareKnown(last: Place, known: Place, headThere: Uint8Array | undefined): Comparison {
  if (known.position > last.position) return 'behind'
  if (headThere !== undefined && !equalBytes(headThere, known.head)) return 'forked'
  return 'same'
}

/** CHN6: a post that was sealed too many commits ago is sealed anew by its sender. */
export function isStale(standing: Standing, sealedAtCommits: number): boolean {
  return standing.commits - sealedAtCommits > MAX_COMMITS_BEHIND
}

/** CHN7: compare and swap on the position of the last commit: one commit an epoch (C-03). */
export function winsCommit(standing: Standing, after: number): boolean {
  return after === standing.lastCommit
}
