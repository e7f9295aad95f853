import { RelayError } from '#core/errors.ts'
import type { Introduction } from '#core/message/introduction.ts'
import type { Deps } from '../deps.ts'

/** Of a stash that nobody has left: every living seat may ask, and nothing changes by it. */
const NO_STASH = new Uint8Array(16)

/**
 * Whether the seat is there that an introduction names: an address may be known to anybody (C-09), a seat there is had of a moderator
 * alone. @throws RelayError 'seat/refused', 'channel/unknown' where there never was one
 */
export async function isSeated(
  { relay }: Pick<Deps, 'relay'>,
  { address, seat, token }: Pick<Introduction, 'address' | 'seat' | 'token'>,
): Promise<boolean> {
  try {
    await relay.call('channel.unstash', { address, seat, token, stash: NO_STASH, n: 0 })
    return true
  } catch (error) {
    if (error instanceof RelayError && error.code === 'seat/removed') return false // put out since
    throw error
  }
}
