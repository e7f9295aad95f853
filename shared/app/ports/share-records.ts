import type { AccountId, MessageId } from '#core/wire/ids.ts'

/**
 * Earlier messages on their way to somebody who came in later (C-11), and to this account. Keyed by the channel and which share it
 * is; gone when it is done.
 */
export type ShareRecord = OutgoingShare | IncomingShare | SharesOfDay

export type OutgoingShare = {
  readonly share: 'out'
  readonly to: AccountId
  readonly since: number // the place at which they came in: only what stands before it
  readonly fromMs: number // only what was said from then on; 0: everything
  readonly total: number // as counted when the person asked for it
  readonly done: number
  readonly begun?: BegunStash
  readonly anew?: number // times that the relay has let go of it before it was told of
  readonly postponed?: Postponed
  readonly failed?: string // code
}

/** What lies at the relay of a share that is not told of yet. */
export type BegunStash = {
  readonly id: Uint8Array
  readonly secret: Uint8Array
  readonly packing: Uint8Array // hash of all its pieces in the clear
  readonly next: number // piece
  readonly atMs: number
}

/** What the relay refused: not asked for again before then. */
export type Postponed = { readonly times: number; readonly notBeforeMs: number }

export type IncomingShare = {
  readonly share: 'in'
  readonly by: AccountId
  readonly stash: { readonly id: Uint8Array; readonly pieces: number }
  readonly box: Uint8Array
  readonly count: number // as the sharer says; no more is taken
  readonly upTo: number // no line after it
  readonly next: number // piece
  readonly taken: number // lines looked at
  readonly postponed?: Postponed
  readonly asked?: true // it is much: the person says first whether to take it
  readonly failed?: string
}

/** How many one account has shared on one day: more are passed over. */
export type SharesOfDay = {
  readonly share: 'day'
  readonly by: AccountId
  readonly day: number // days since 1970
  readonly count: number
}

/** In the outbox beside the message that tells of it. */
export type SharedInPost = {
  readonly stash: { readonly id: Uint8Array; readonly pieces: number }
  readonly to: AccountId
  readonly since: number
  readonly fromMs: number
  readonly count: number
  readonly anew?: number
  readonly messageId: MessageId
  readonly atMs: number
}
