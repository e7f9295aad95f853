import type { Linking } from '#app/face.ts'
import type { SimDevice } from './sim-device.ts'
import type { World } from './world.ts'

type In<S extends Linking['state']> = Extract<Linking, { state: S }>

/** Runs until the device's view of the meeting is in that state. */
export async function reaches<S extends Linking['state']>(world: World, device: SimDevice, state: S): Promise<In<S>> {
  for (let passed = 0; passed < 60; passed++) {
    const now = await device.request('linking', null)
    if (now.state === state) return now as In<S>
    await world.run(1_000)
  }
  throw new Error(`${device.name}: ${JSON.stringify(await device.request('linking', null))} instead of ${state}`)
}

/** A new device that shows its code. */
export async function showing(world: World, name = 'tablet'): Promise<{ tablet: SimDevice } & In<'showing'>> {
  const tablet = await world.device(name)
  await world.until(tablet.request('showLink', { deviceName: name, deviceKind: 'web' }))
  return { tablet, ...(await reaches(world, tablet, 'showing')) }
}

export async function confirmBoth(world: World, holder: SimDevice, tablet: SimDevice): Promise<void> {
  await Promise.all([reaches(world, holder, 'comparing'), reaches(world, tablet, 'comparing')])
  void holder.request('confirmLink', null)
  void tablet.request('confirmLink', null)
  await world.run(10_000)
}

/** Another device of the holder's account, linked and settled. */
export async function linked(world: World, holder: SimDevice, name: string): Promise<SimDevice> {
  const { tablet, link } = await showing(world, name)
  await world.until(holder.request('joinLink', { code: link }))
  await confirmBoth(world, holder, tablet)
  await reaches(world, tablet, 'done')
  await world.run(20_000)
  return tablet
}
