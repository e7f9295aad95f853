import type { Change } from '#app/ports/store.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import { invite } from './meet.ts'
import type { SimDevice } from './sim-device.ts'
import { World } from './world.ts'

export type Circle = { readonly world: World; readonly first: SimDevice; readonly others: readonly SimDevice[] }

/** One person who knows all the others, each by an invitation; the others know nobody else. */
export async function circle(seed: number, names: readonly string[]): Promise<Circle> {
  const world = await World.make(seed)
  const devices: SimDevice[] = []
  for (const name of names) devices.push(await identity(world, name))
  const [first, ...others] = devices
  if (first === undefined) throw new Error('nobody')
  for (const other of others) {
    await world.until(first.request('acceptInvitation', { link: await invite(world, other) }))
    await world.run(2_000)
  }
  await world.run(60_000)
  return { world, first, others }
}

export async function identity(world: World, name: string): Promise<SimDevice> {
  const device = await world.device(name)
  await world.until(device.request('createIdentity', { name, deviceName: 'one', deviceKind: 'web' }))
  return device
}

/** As faces name a person. */
export async function personId(device: SimDevice): Promise<string> {
  const account = await device.store().get('meta', 'account')
  if (account?.kind !== 'account') throw new Error(`${device.name} has no account`)
  return toBase64url(account.account)
}

export async function personIds(devices: readonly SimDevice[]): Promise<string[]> {
  return Promise.all(devices.map(personId))
}

/** As if they had met: the one has the other's manifest, by whatever way. */
export async function acquaint(world: World, device: SimDevice, others: readonly SimDevice[]): Promise<void> {
  device.kill()
  const store = device.store()
  await store.takeOver()
  const changes: Change[] = []
  for (const other of others) {
    const record = await other.store().get('meta', 'account')
    if (record?.kind !== 'account') throw new Error(`${other.name} has no account`)
    const { account, name, manifest, sequence } = record
    changes.push({ put: 'contacts', key: `of ${other.name}`, record: { account, name, manifest, sequence } })
  }
  await store.write(changes)
  await world.run(5_000)
}
