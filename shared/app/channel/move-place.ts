import { firstHead } from '#core/channel/chain.ts'
import { ADDRESS_BYTES, type Address } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import type { Loaded } from './loaded.ts'

/**
 * Somebody else's channel lies where the name says: this one, which is at no relay yet and has sealed nothing, goes on without the name,
 * at a place of its own (C-09).
 */
export async function movePlace(deps: Deps, { channel, sync, ...loaded }: Loaded): Promise<Loaded> {
  const address = deps.dice(ADDRESS_BYTES) as Address
  const named = channel.named && ({ name: channel.named.name, state: 'taken' } as const)
  const moved: Loaded = {
    ...loaded,
    channel: { ...channel, address, ...(named && { named }) },
    sync: { ...sync, address, head: firstHead(address) },
  }
  const draft = new Draft(deps.store)
  draft.put('channels', loaded.id, moved.channel)
  draft.put('syncs', loaded.id, moved.sync)
  await draft.commit()
  return moved
}
