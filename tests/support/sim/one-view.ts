import { toHex } from '#core/bytes/hex.ts'
import { epochOf } from '#core/mls/index.ts'
import { groupOf } from './forged-commit.ts'
import { groupIdOf } from './many-devices.ts'
import type { SimDevice } from './sim-device.ts'

/** All that members have to agree on, of one device: epoch, tree, table and seats. */
export async function viewOf(device: SimDevice): Promise<string> {
  const id = await groupIdOf(device)
  const [group, sync] = [await groupOf(device, id), await device.store().get('syncs', id)]
  const { groupContext } = group.state
  const seats = (sync?.seats ?? []).map(({ leaf, seat, moderator }) => `${leaf} ${toHex(seat)} ${moderator}`).sort()
  return JSON.stringify({
    epoch: epochOf(group),
    tree: toHex(groupContext.treeHash),
    transcript: toHex(groupContext.confirmedTranscriptHash),
    title: group.context.profile.title,
    roles: group.context.accounts.map(({ account, role }) => `${toHex(account)} ${role}`),
    seats,
  })
}

export async function viewsOf(devices: readonly SimDevice[]): Promise<ReadonlySet<string>> {
  return new Set(await Promise.all(devices.map(viewOf)))
}
