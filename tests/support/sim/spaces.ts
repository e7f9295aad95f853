import type { ChannelView } from '#app/face.ts'
import { type Circle, circle, personId, personIds } from './people.ts'
import type { SimDevice } from './sim-device.ts'

export type Company = Circle & { readonly home: string }

/** A space of one person's, with all the others in it. */
export async function spaceOf(seed: number, names: readonly string[], title = 'Allotment'): Promise<Company> {
  const { world, first, others } = await circle(seed, names)
  const members = await personIds(others)
  const { channelId: home } = await world.until(first.request('createSpace', { title, members }))
  await world.run(60_000)
  return { world, first, others, home }
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
  const { id } = await channelOn(device, title)
  const { members } = await device.face().channelDetails(id)
  return members.map(({ name, role }) => (role === 'member' ? name : `${name} ${role}`)).sort()
}

export { personId }
