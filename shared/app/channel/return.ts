import { StoreError, WireError } from '#core/errors.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import type { ChannelRecord } from '../ports/records.ts'
import { type Loaded, loadChannel } from './loaded.ts'

/** Nothing is applied or sent: a fork is for the person to look at, and a device that comes back has another state then. */
export function isHeld({ channel }: Pick<Loaded, 'channel'>): boolean {
  return channel.state === 'returning' || (channel.state === 'paused' && channel.pausedBy !== 'removed')
}

export function isForked({ channel }: Pick<Loaded, 'channel'>): boolean {
  return channel.pausedBy === 'forked'
}

/** This state leads nowhere any more: the device comes in anew, by the account's entry (C-07). Without one it stops and says so. */
export function returning(channel: ChannelRecord, nowMs: number): ChannelRecord {
  if (isForked({ channel })) return channel // FRK1: else a relay that refuses the seat would hide what it did
  const { pausedBy, ...kept } = channel
  if (channel.entry === undefined) return { ...channel, state: 'paused', pausedBy: 'broken' }
  if (pausedBy === 'removed') return { ...kept, state: 'returning', shut: true } // asks again; its place is lost for longer
  return { ...kept, state: 'returning', lostAtMs: nowMs }
}

export function giveUp(deps: Deps, loaded: Loaded): Promise<Loaded> {
  return put(deps, loaded, returning(loaded.channel, deps.clock.now()))
}

export function reopen(deps: Deps, loaded: Loaded): Promise<Loaded> {
  const { pausedBy: _, ...kept } = loaded.channel
  return put(deps, loaded, { ...kept, state: 'open' })
}

async function put(deps: Deps, loaded: Loaded, channel: ChannelRecord): Promise<Loaded> {
  const draft = new Draft(deps.store)
  draft.put('channels', loaded.id, channel)
  await draft.commit()
  return { ...loaded, channel }
}

/** @returns undefined for a channel that this device is not in; one whose state is not whole any more is such a one */
export async function loadOrReturn(deps: Deps, id: string): Promise<Loaded | undefined> {
  try {
    return await loadChannel(deps, id)
  } catch (error) {
    const isLost = error instanceof WireError || (error instanceof StoreError && LOST.has(error.code))
    const channel = await deps.store.get('channels', id)
    if (!isLost || channel === undefined) throw error
    await deps.store.write([{ put: 'channels', key: id, record: returning(channel, deps.clock.now()) }])
    return undefined
  }
}

const LOST: ReadonlySet<string> = new Set(['store/group-missing', 'store/group-key'])
