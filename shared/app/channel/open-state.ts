import { concatBytes } from '#core/bytes/concat.ts'
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

/** What the last commit, or a member since, has left at the relay for the account's devices (BCK1, BCK6). */
export function readState(deps: Deps, { address, entry }: Door): Promise<ReplyOf<'channel.state'>> {
  return deps.relay.call('channel.state', { address, entry: entry.id, token: entry.token })
}

/**
 * @returns undefined when there is none of this epoch, or no box that the key ring opens: it is to be asked for
 * @throws CryptoError, WireError when it is not good
 */
export async function openState(
  deps: Deps,
  door: Door,
  reply: ReplyOf<'channel.state'>,
): Promise<FoundState | undefined> {
  const { info, box, stash } = reply
  if (info === undefined || box === undefined || reply.at !== reply.lastCommit) return undefined
  const rejoinKey = await openWithRing(deps, door, box)
  if (rejoinKey === undefined) return undefined
  const sealed = stash === undefined ? info : await piecesOf(deps, door, stash.pieces)
  return { state: await openChannelState(rejoinKey, door.address, sealed), reply, rejoinKey }
}

async function piecesOf(deps: Deps, { address, entry }: Door, count: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for (let n = 0; n < count; n++) {
    const { bytes } = await deps.relay.call('channel.piece', { address, entry: entry.id, token: entry.token, n })
    if (bytes === undefined) throw new WireError('stash/gone')
    pieces.push(bytes)
  }
  return concatBytes(...pieces)
}

/** Some members are asked to leave one (CHN23). `refused`: the one that lies there is no good. */
export async function askForState(deps: Deps, { address, entry }: Door, refused?: number): Promise<void> {
  const key = { address, entry: entry.id, token: entry.token }
  await deps.relay.call('channel.ask', { ...key, ...(refused === undefined ? {} : { refused }) })
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
