import { RelayError } from '#core/errors.ts'
import type { Deps } from '../deps.ts'
import type { PendingRecord } from '../ports/records.ts'
import type { Loaded } from './loaded.ts'

/**
 * Offers the staged commit to the relay. It goes out unchanged until the relay has ordered it or names another winner:
 * in one epoch this device never builds a second one.
 * Either way there is something to fetch then: the own commit at its place, or the one that won.
 */
export async function offerCommit(deps: Deps, loaded: Loaded, pending: PendingRecord): Promise<void> {
  const { address, seat, token, cursor, head } = loaded.sync
  const known = { position: cursor, head }
  const { id, after, envelope, seats, welcomes, state } = pending
  const offered = { id, after, envelope, seats, welcomes, ...(state === undefined ? {} : { state }) }
  try {
    await deps.relay.call('channel.commit', { address, seat, token, known, ...offered })
  } catch (error) {
    if (!(error instanceof RelayError && error.code === 'channel/commit-lost')) throw error
  }
}
