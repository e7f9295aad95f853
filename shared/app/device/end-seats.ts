import { equalBytes } from '#core/bytes/equal.ts'
import { labels } from '#core/crypto/labels.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import { RelayError } from '#core/errors.ts'
import { members } from '#core/mls/index.ts'
import { type DeviceId, type SeatId, TOKEN_BYTES, type Token, type TokenHash } from '#core/wire/ids.ts'
import type { Loaded } from '../channel/loaded.ts'
import { loadOrReturn } from '../channel/return.ts'
import type { Deps } from '../deps.ts'
import type { ChannelRecord } from '../ports/records.ts'

type Entry = NonNullable<ChannelRecord['entry']>

/**
 * Ends a revoked device's place in one channel, as far as no commit is needed (K-07): the account's entry gets a token that it
 * has not, so that it can't come back in, and then its seats are dead. Runs in the channel's turn.
 * @returns false when this device is not in the channel yet, or not by a token that holds: later
 */
export async function endSeats(deps: Deps, channelId: string, deviceId: DeviceId): Promise<boolean> {
  const channel = await deps.store.get('channels', channelId)
  // The account has no place there any more.
  if (channel === undefined || channel.left === 'left' || channel.pausedBy === 'removed') return true
  const loaded = await loadOrReturn(deps, channelId)
  if (loaded === undefined || channel.entry === undefined || loaded.sync.opening) return false
  const { address } = loaded.sync
  const seats = seatsOf(loaded, deviceId)
  try {
    const token = await retoken(deps, loaded, channel.entry)
    if (seats.length > 0) await deps.relay.call('channel.expel', { address, entry: channel.entry.id, token, seats })
    return true
  } catch (error) {
    if (!(error instanceof RelayError) || error.retryable) throw error
    return error.code !== 'entry/refused' // another device was first: its token comes with the log
  }
}

function seatsOf({ group, sync }: Loaded, deviceId: DeviceId): SeatId[] {
  const leaves = new Set(members(group).flatMap((one) => (equalBytes(one.deviceId, deviceId) ? [one.leaf] : [])))
  return sync.seats.flatMap(({ leaf, seat }) => (leaves.has(leaf) ? [seat] : []))
}

/** Stored before it is sent: a crash in between must not leave a token that nobody knows. */
async function retoken(deps: Deps, { id, channel, sync }: Loaded, entry: Entry): Promise<Token> {
  const token = sync.reentry ?? (deps.dice(TOKEN_BYTES) as Token)
  await deps.store.write([{ put: 'syncs', key: id, record: { ...sync, reentry: token } }])
  const { address } = sync
  const tokenHash: TokenHash = hashToken(labels.entryToken, token)
  await deps.relay.call('channel.reentry', { address, entry: entry.id, token: entry.token, tokenHash })
  const { reentry: _, ...settled } = sync
  await deps.store.write([
    { put: 'syncs', key: id, record: settled },
    { put: 'channels', key: id, record: { ...channel, entry: { id: entry.id, token } } },
  ])
  return token
}
