import { MAX_WELCOMES } from '#core/wire/limits.ts'

/** The realm's settings, cached for a minute in each isolate. */
export type Settings = {
  readonly signUp: 'open' | 'closed'
  readonly queuedEnvelopes: number // per channel
  readonly queuedBytes: number // per channel
  readonly logBytes: number // per log
  readonly requestsPerSecond: number // per connection, over time; `requestBurst` at once
  readonly requestBurst: number
}

export type QueueLimits = Pick<Settings, 'queuedEnvelopes' | 'queuedBytes'>

export const DEFAULT_SETTINGS: Settings = {
  signUp: 'open',
  queuedEnvelopes: 100_000,
  queuedBytes: 512 * 1024 * 1024,
  logBytes: 64 * 1024 * 1024,
  requestsPerSecond: 500,
  requestBurst: 5_000,
}

export const MAILBOX_ITEMS = 256
export const MAILBOX_BYTES = 64 * 1024 * 1024
export const MAILBOX_LABELS = 4_096 // what one fetch can tell
/** Welcomes that wait at a channel for mailboxes that are full or can't be reached: twice what one commit may bring. */
export const WAITING_WELCOMES = 2 * MAX_WELCOMES
export const WAITING_WELCOME_BYTES = 64 * 1024 * 1024
export const SHARD_INVITATIONS = 10_000
export const SHARD_BYTES = 256 * 1024 * 1024
/**
 * Of a channel, and of what one entry left there and no commit has named (CHN21): two trees of the largest size, and as many
 * small pieces as what is shared in a fortnight may come to.
 */
export const STASH_PIECES = 4_096
export const ENTRY_STASH_PIECES = 1_024
export const STASH_BYTES = 256 * 1024 * 1024
export const ENTRY_STASH_BYTES = 64 * 1024 * 1024
/** A queue empties when seats fetch: soon, or not today. */
export const QUEUE_WAIT_MS = 60_000

export type Load = { readonly count: number; readonly bytes: number }

export function plus(load: Load, more: Load): Load {
  return { count: load.count + more.count, bytes: load.bytes + more.bytes }
}

export function minus(load: Load): Load {
  return { count: -load.count, bytes: -load.bytes }
}

/** Is there room for `more` below the limit? */
export function fits(load: Load, more: Load, most: Load): boolean {
  return load.count + more.count <= most.count && load.bytes + more.bytes <= most.bytes
}
