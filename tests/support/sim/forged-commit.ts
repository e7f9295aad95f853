import { deviceSigner } from '#app/account/device-signer.ts'
import { loadGroup } from '#app/channel/loaded.ts'
import { sha256 } from '#core/crypto/hash.ts'
import { sealOuter } from '#core/message/outer.ts'
import { encodeCommitData } from '#core/mls/commit-data.ts'
import type { Group } from '#core/mls/index.ts'
import { POST_ID_BYTES, type PostId } from '#core/wire/ids.ts'
import { type SeatChanges, seatChangesBytes } from '#core/wire/seats.ts'
import { type Forgery, forge } from '../../unit/core/mls/forge.ts'
import type { SimDevice } from './sim-device.ts'
import type { World } from './world.ts'

const NO_SEATS: SeatChanges = { add: [], remove: [] }

export async function groupOf(device: SimDevice, id: string): Promise<Group> {
  const record = await device.store().get('meta', 'device')
  if (record?.kind !== 'device') throw new Error('no device')
  const group = await loadGroup(device.store(), id, await deviceSigner(device.handles, record))
  if (group === undefined) throw new Error(`${device.name} has no group`)
  return group
}

/** A member's seat brings a commit that follows none of Stave's rules to the relay, which can't see into it. */
export async function commitForged(
  world: World,
  device: SimDevice,
  id: string,
  make: (group: Group) => Omit<Forgery, 'data' | 'state' | 'bend'>,
  seats: SeatChanges = NO_SEATS,
): Promise<void> {
  const sync = await device.store().get('syncs', id)
  const outer = sync?.keys.at(-1)
  if (sync === undefined || outer === undefined) throw new Error('no channel')
  const group = await groupOf(device, id)
  const forgery = make(group)
  const { manifests = [], roles = [], profile, space } = forgery
  const adds = forgery.proposals?.some(({ proposalType }) => proposalType === 'add')
  const timeMs = adds ? world.timeline.nowMs : group.lastCommitMs // MLS8: so that it is judged by what it does
  const seatsHash = sha256(seatChangesBytes(seats))
  const changes = { ...(profile && { profile }), ...(space && { space }) }
  const data = encodeCommitData({ timeMs, seatsHash, manifests, roles, ...changes })
  const w = { suite: group.suite, nowMs: world.timeline.nowMs, dice: world.random.dice }
  const envelope = await sealOuter(outer.key, sync.address, await forge(w, group, { ...forgery, data }))
  const { address, seat, token, cursor, head, lastCommit } = sync
  await world.relay
    .connect(() => {})
    .call('channel.commit', {
      address,
      seat,
      token,
      known: { position: cursor, head },
      id: world.random.dice(POST_ID_BYTES) as PostId,
      after: lastCommit,
      envelope,
      seats,
      welcomes: [],
    })
}
