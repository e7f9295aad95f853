import { equalBytes } from '#core/bytes/equal.ts'
import { InputError, RelayError } from '#core/errors.ts'
import { handlesOf, members, rolesOf } from '#core/mls/index.ts'
import { dropHandles } from '../account/mls-handles.ts'
import { accountOf } from '../account/settle-manifest.ts'
import { dropGroup, type Loaded, loadChannel } from '../channel/loaded.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { failOutbox } from '../message/fail-outbox.ts'
import { queueBodies } from '../message/queue-bodies.ts'
import type { ChannelRecord } from '../ports/records.ts'

/**
 * Says that this account leaves; the rest is done when that is with the relay (`endPlace`). Runs in the channel's turn.
 * `unowned`: whether somebody who stays owns it was looked at before (SPC8).
 */
export async function leave(deps: Deps, id: string, { quietly = false, unowned = false } = {}): Promise<void> {
  const channel = await deps.store.get('channels', id)
  if (channel === undefined || channel.kind === 'notes') throw new InputError('channel/unknown')
  if (channel.left !== undefined || channel.leaving) return
  const loaded = await loadChannel(deps, id)
  if (loaded === undefined || channel.state !== 'open') return forget(deps, id, channel)
  const draft = new Draft(deps.store)
  if (!quietly) {
    if (!unowned) await checkOwned(deps, loaded)
    await queueBodies(deps, draft, id, [{ kind: 'leave' }])
  }
  draft.put('channels', id, { ...channel, leaving: true })
  await draft.commit()
}

/** @throws InputError 'channel/last-owner' when nobody who stays could moderate */
export async function checkOwned(deps: Deps, { group, channel }: Loaded): Promise<void> {
  if (channel.kind !== 'group') return
  const { account } = await accountOf(deps)
  const present = members(group)
  const isAlone = present.every((member) => equalBytes(member.account, account))
  const owners = rolesOf(group).filter(({ role }) => role === 'owner')
  const staying = owners.filter((one) => !equalBytes(one.account, account))
  const isOwner = staying.length < owners.length
  if (!isAlone && isOwner && !staying.some((one) => present.some((member) => equalBytes(member.account, one.account))))
    throw new InputError('channel/last-owner')
}

/**
 * The account's seats are dead from here on, by its own token and with no commit (LEV1), and this device forgets the group. What
 * was said stays. Repeating it changes nothing.
 */
export async function endPlace(deps: Deps, loaded: Loaded): Promise<Loaded> {
  const { id, channel, sync, group } = loaded
  const { address, entry } = channel
  const place = sync.seats.find(({ seat }) => equalBytes(seat, sync.seat))
  if (address !== undefined && entry !== undefined && place !== undefined) {
    const seats = sync.seats.flatMap((one) => (equalBytes(one.entry, place.entry) ? [one.seat] : []))
    try {
      await deps.relay.call('channel.expel', { address, entry: entry.id, token: entry.token, seats })
    } catch (error) {
      if (!(error instanceof RelayError) || error.retryable) throw error // refused: the account has no place there any more
    }
  }
  const handles = handlesOf(group)
  await forget(deps, id, channel)
  await dropHandles(deps.handles, handles)
  return { ...loaded, channel: leftOf(channel) }
}

async function forget(deps: Deps, id: string, before: ChannelRecord): Promise<void> {
  const { channel } = await failOutbox(deps, { id, channel: before }, 'seat/removed') // never silently (M-09)
  const draft = new Draft(deps.store)
  await dropGroup(deps.store, draft, id)
  for (const table of ['syncs', 'pendings', 'enters'] as const) draft.delete(table, id)
  draft.put('channels', id, leftOf(channel))
  await draft.commit()
}

export function leftOf(channel: ChannelRecord): ChannelRecord {
  const { leaving: _, request: __, pausedBy: ___, entry: ____, ...kept } = channel
  return { ...kept, state: 'paused', left: 'left' }
}
