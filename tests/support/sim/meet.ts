import type { SimDevice } from './sim-device.ts'
import { World } from './world.ts'

export type Two = {
  readonly world: World
  readonly ann: SimDevice
  readonly bea: SimDevice
  readonly ofAnn: string // the channel's id at each
  readonly ofBea: string
}

/** Two devices that have met by an invitation and have nothing left to do. */
export async function meet(seed: number): Promise<Two> {
  const world = await World.make(seed)
  const [ann, bea] = [await world.device('ann'), await world.device('bea')]
  for (const device of [ann, bea]) {
    await world.until(device.request('createIdentity', { name: device.name, deviceName: 'laptop', deviceKind: 'web' }))
  }
  const { channelId } = await world.until(bea.request('acceptInvitation', { link: await invite(world, ann) }))
  await world.run(60_000)
  const [ofAnn = ''] = await ann.channelIds()
  return { world, ann, bea, ofAnn, ofBea: channelId }
}

export async function invite(world: World, device: SimDevice): Promise<string> {
  const { id } = await world.until(device.request('createInvitation', null))
  return (await device.store().get('invitations', id))?.link ?? ''
}

/** Written as a face writes, and taken up by whichever engine runs. */
export async function say(device: SimDevice, channelId: string, text: string): Promise<void> {
  await device.write(channelId, text)
  if (device.running) await device.request('wake', null)
}

/** What was said; not what was changed of a group. */
export async function textsOf(device: SimDevice, channelId: string): Promise<string[]> {
  const said = (await device.lines(channelId)).filter(({ kind }) => kind !== 'group')
  return said.map((line) => (line.kind === 'text' ? line.text : `${line.kind} line`))
}
