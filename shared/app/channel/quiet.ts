import { InputError } from '#core/errors.ts'
import type { Deps } from '../deps.ts'
import type { Muted } from '../face.ts'
import type { ChannelRecord, MutedWord } from '../ports/records.ts'

/** Muted and archived (M-11): the person's words about a channel, the same on all devices of the account (MRG3). */
export function isMuted({ muted }: Pick<ChannelRecord, 'muted'>, nowMs: number): boolean {
  return muted?.is === true && nowMs < (muted.untilMs ?? Number.POSITIVE_INFINITY)
}

/** As a face shows it, while it is so. */
export function mutedOf(channel: Pick<ChannelRecord, 'muted'>, nowMs: number): Muted | undefined {
  if (!isMuted(channel, nowMs)) return undefined
  const untilMs = channel.muted?.untilMs
  return untilMs === undefined ? {} : { untilMs }
}

/** Runs in the channel's turn. @throws InputError 'channel/unknown' */
export function setMuted(deps: Deps, id: string, muted: Muted | false): Promise<void> {
  const word: MutedWord = { is: muted !== false, atMs: deps.clock.now(), ...(muted === false ? {} : muted) }
  return change(deps, id, (channel) => ({ ...channel, muted: word }))
}

/** Runs in the channel's turn. @throws InputError 'channel/unknown' */
export function setArchived(deps: Deps, id: string, is: boolean): Promise<void> {
  return change(deps, id, (channel) => ({ ...channel, archived: { is, atMs: deps.clock.now() } }))
}

/** Something new is said there: it is back in the list. */
export function unarchived(channel: ChannelRecord, nowMs: number): ChannelRecord {
  return channel.archived?.is ? { ...channel, archived: { is: false, atMs: nowMs } } : channel
}

async function change({ store }: Deps, id: string, make: (channel: ChannelRecord) => ChannelRecord): Promise<void> {
  const channel = await store.get('channels', id)
  if (channel === undefined) throw new InputError('channel/unknown')
  await store.write([{ put: 'channels', key: id, record: make(channel) }])
}
