import { readAccount } from '#app/account/read-account.ts'
import { checkManifest, type Manifest } from '#core/identity/manifest.ts'
import type { SimDevice } from './sim-device.ts'
import { World } from './world.ts'

/** A world with one device that made an identity and has told its realm. */
export async function start(seed: number): Promise<{ world: World; ann: SimDevice }> {
  const world = await World.make(seed)
  const ann = await world.device('ann')
  const input = { name: 'Ann', deviceName: 'laptop', deviceKind: 'web' } as const
  await world.until(ann.request('createIdentity', input))
  await world.run(10_000)
  return { world, ann }
}

/** What the device holds for its account's newest manifest. */
export async function manifestOf(device: SimDevice): Promise<Manifest> {
  const account = await readAccount(device.store())
  if (account === undefined) throw new Error(`${device.name} has no account`)
  return checkManifest(account.manifest, account.account)
}
