import type { ChannelView } from '#app/face.ts'
import type { ChannelRecord } from '#app/ports/records.ts'
import { type Circle, circle, personIds } from './people.ts'
import type { SimDevice } from './sim-device.ts'
import type { World } from './world.ts'

export type Company = Circle & { readonly home: string }

/** A space of one person's, with all the others in it. */
export async function spaceOf(seed: number, names: readonly string[], title = 'Allotment'): Promise<Company> {
  const { world, first, others } = await circle(seed, names)
  const members = await personIds(others)
  const { channelId: home } = await world.until(first.request('createSpace', { title, members }))
  await world.run(60_000)
  return { world, first, others, home }
}

/** A device whose program follows no rules of spaces: what is stored of a channel is changed under it. */
export async function tamper(
  world: World,
  device: SimDevice,
  id: string,
  make: (channel: ChannelRecord) => ChannelRecord,
): Promise<void> {
  device.kill()
  const store = device.store()
  await store.takeOver()
  const channel = await store.get('channels', id)
  if (channel === undefined) throw new Error(`${device.name} has no such channel`)
  await store.write([{ put: 'channels', key: id, record: make(channel) }])
  await world.run(5_000)
}

/** It knows of no space any more, until the home's next commit tells it. */
export async function makeIdle(world: World, device: SimDevice): Promise<void> {
  await tamper(world, device, (await homeOn(device)).id, ({ space: _, ...channel }) => channel)
}

/** By that device, and then all is quiet. */
export async function addChannel(world: World, device: SimDevice, spaceId: string, title: string): Promise<void> {
  await world.until(device.request('addToSpace', { spaceId, title }))
  await world.run(60_000)
}

export async function homeOn(device: SimDevice): Promise<ChannelView> {
  const home = (await device.face().channels()).find(({ id, space }) => space?.id === id)
  if (home === undefined) throw new Error(`${device.name} has no space`)
  return home
}

/** Titles of what is shown under the space, the home aside, in the order of the alphabet. */
export async function shownIn(device: SimDevice): Promise<string[]> {
  const home = await homeOn(device)
  const channels = (await device.face().channels()).filter(({ id, space }) => space?.id === home.id && id !== home.id)
  return channels.map(({ title, left }) => (left === undefined ? title : `${title} (${left})`)).sort()
}

export async function channelOn(device: SimDevice, title: string): Promise<ChannelView> {
  const found = (await device.face().channels()).find((channel) => channel.kind === 'group' && channel.title === title)
  if (found === undefined) throw new Error(`${device.name} has no ${title}`)
  return found
}

/** Who is in it, with their roles, as that device has it. */
export async function membersOn(device: SimDevice, title: string): Promise<string[]> {
  return membersIn(device, (await channelOn(device, title)).id)
}

export async function membersIn(device: SimDevice, id: string): Promise<string[]> {
  const { members } = await device.face().channelDetails(id)
  return members.map(({ name, role }) => (role === 'member' ? name : `${name} ${role}`)).sort()
}
