import { CryptoError, WireError } from '#core/errors.ts'
import { accountHpkePair, decodeKeyRing } from '#core/keys/key-ring.ts'
import { type ChannelState, openBox, openChannelState } from '#core/message/channel-state.ts'
import type { Address, EntryId, Token } from '#core/wire/ids.ts'
import type { ReplyOf } from '#core/wire/operations.ts'
import type { Deps } from '../deps.ts'

/** Where a channel is, and the account's place in it. */
export type Door = { readonly address: Address; readonly entry: { readonly id: EntryId; readonly token: Token } }

export type FoundState = {
  readonly state: ChannelState
  readonly reply: ReplyOf<'channel.state'>
  readonly rejoinKey: Uint8Array
}

/**
 * The channel's newest state, as the last commit left it at the relay for the account's devices (BCK1).
 * @returns undefined when that commit left none, or no box that the key ring opens: the next one may
 * @throws CryptoError, WireError when what it left is not good
 */
export async function openState(deps: Deps, door: Door): Promise<FoundState | undefined> {
  const { address, entry } = door
  const reply = await deps.relay.call('channel.state', { address, entry: entry.id, token: entry.token })
  const { info, box } = reply
  if (info === undefined || box === undefined || reply.at !== reply.lastCommit) return undefined
  const rejoinKey = await openWithRing(deps, door, box)
  return rejoinKey && { state: await openChannelState(rejoinKey, address, info), reply, rejoinKey }
}

async function openWithRing(deps: Deps, { address, entry }: Door, box: Uint8Array): Promise<Uint8Array | undefined> {
  const record = await deps.store.get('meta', 'keyRing')
  if (record?.kind !== 'keyRing') return undefined
  for (const generation of decodeKeyRing(record.bytes).generations.toReversed()) {
    try {
      return await openBox(await accountHpkePair(generation), address, entry.id, box)
    } catch (error) {
      if (!(error instanceof CryptoError || error instanceof WireError)) throw error
    }
  }
  return undefined
}
