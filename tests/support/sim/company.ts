import { toBase64url } from '#core/bytes/base64url.ts'
import { identity, personIds } from './people.ts'
import type { SimDevice } from './sim-device.ts'
import { twin } from './twin.ts'
import { World } from './world.ts'

export const PEOPLE = ['ann', 'ben', 'cid', 'dan', 'eve', 'fay', 'gil', 'hal', 'ida', 'jon', 'kim', 'leo'] as const

/** A person of the simulation: their devices, the first of which made the account. */
export type Person = { readonly name: string; readonly id: string; readonly devices: SimDevice[]; isHonest: boolean }

export type Company = { readonly world: World; readonly people: readonly Person[]; readonly channelId: string }

/**
 * People who all know each other, each with one to three devices, and one group of the first's with all but the last of them in it.
 * The person before the last one follows no rules.
 */
export async function company(seed: number, people: number, devices: number): Promise<Company> {
  const world = await World.make(seed)
  const firsts: SimDevice[] = []
  for (const name of PEOPLE.slice(0, people)) firsts.push(await identity(world, name))
  await world.run(5_000)
  const ids = await personIds(firsts)
  const all = firsts.map(
    (first, i): Person => ({
      name: first.name,
      id: ids[i] ?? '',
      devices: [first],
      isHonest: i !== people - 2,
    }),
  )
  await acquaintAll(world, firsts)
  for (let n = people; n < devices; n++) {
    const person = all[n % people]
    if (person?.isHonest) await addDevice(world, person)
  }
  await world.run(20_000)
  const [first] = firsts
  if (first === undefined) throw new Error('nobody')
  const input = { title: 'Walks', members: ids.slice(1, -1) }
  const { channelId } = await world.until(first.request('createGroup', input), 120_000)
  await world.run(180_000)
  return { world, people: all, channelId }
}

/** One more device of a person, by their words. */
export async function addDevice(world: World, person: Person): Promise<SimDevice> {
  const [first] = person.devices
  if (first === undefined) throw new Error(`${person.name} has no device`)
  const device = await twin(world, first, `${person.name} ${person.devices.length + 1}`)
  person.devices.push(device)
  return device
}

/** As if each had met all the others. */
async function acquaintAll(world: World, devices: readonly SimDevice[]): Promise<void> {
  for (const device of devices) {
    device.kill()
    const store = device.store()
    await store.takeOver()
    for (const other of devices) {
      const record = other === device ? undefined : await other.store().get('meta', 'account')
      if (record?.kind !== 'account') continue
      const { account, name, manifest, sequence } = record
      await store.write([{ put: 'contacts', key: `of ${name}`, record: { account, name, manifest, sequence } }])
    }
  }
  await world.run(5_000)
}

/** A device's group, if it ever had one. */
export async function groupIn(device: SimDevice): Promise<string | undefined> {
  return (await device.face().channels()).find(({ kind }) => kind === 'group')?.id
}

export async function deviceIdOf(device: SimDevice): Promise<string | undefined> {
  const record = await device.store().get('meta', 'device')
  return record?.kind === 'device' ? toBase64url(record.deviceId) : undefined
}
