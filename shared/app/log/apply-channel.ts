import type { Dated, DeltaOf } from '#core/log/delta.ts'
import type { Address } from '#core/wire/ids.ts'
import { leftOf } from '../group/leave.ts'
import type { ChannelRecord } from '../ports/records.ts'
import { channelDelta } from './current-books.ts'
import { type Applying, settleBook } from './settle-book.ts'

/** A channel of the account that this device is not in: it comes in by itself, and shows what the log has meanwhile (C-07). */
export function returningChannel(address: Address, kind: 'direct' | 'group'): ChannelRecord {
  return { title: '', kind, address, state: 'returning', lastText: '', lastAtMs: 0, lastState: 'none', theirs: 0 }
}

export async function applyChannel(
  applying: Applying,
  channelId: string,
  remote: Dated<DeltaOf<'channel'>>,
): Promise<void> {
  const { draft } = applying
  const channel = await draft.get('channels', channelId)
  if (channel === undefined || channel.kind === 'notes' || remote.delta.channel === 'notes') return
  // A record that lines alone have made says nothing of its own yet.
  const local = channel.title === '' ? undefined : channelDelta(channel)
  const settled = await settleBook(applying, ['channel', channelId], local, remote)
  // What this device may come back by is never taken away by one that does not have it (C-07).
  const entry = settled.entry ?? channel.entry ?? remote.delta.entry
  draft.put('channels', channelId, {
    ...placeAfter(channel, settled.left === true),
    title: settled.title,
    kind: channel.state === 'returning' ? remote.delta.channel : channel.kind,
    logged: Math.max(channel.logged ?? 0, settled.upTo),
    ...(entry === undefined ? {} : { entry }),
    ...(settled.repaired && { repaired: true as const }),
    ...(settled.muted && { muted: settled.muted }),
    ...(settled.archived && { archived: settled.archived }),
    ...withNamed(channel, settled.named),
  })
}

/** Another device of the account has the name's keys: so has this one from here on. */
function withNamed({ named }: ChannelRecord, told: DeltaOf<'channel'>['named']): Pick<ChannelRecord, 'named'> {
  if (told === undefined || (named?.keys !== undefined && named.proven)) return named === undefined ? {} : { named }
  const { name, token, seed } = told
  return { named: { ...named, name, state: 'registered', keys: { token, seed }, proven: true } }
}

/** The account has left, or is in it again: what one device did holds for all (LEV1). */
function placeAfter(channel: ChannelRecord, hasLeft: boolean): ChannelRecord {
  const { request: _, ...accepted } = channel // the person said yes on another device, or no (M-11)
  if (hasLeft && channel.left === undefined) {
    return channel.state === 'open' ? { ...accepted, leaving: true } : leftOf(accepted)
  }
  if (hasLeft || channel.left !== 'left') return accepted
  const { left: __, ...back } = accepted
  return { ...back, state: 'returning' }
}
