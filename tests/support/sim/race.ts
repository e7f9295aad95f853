import { groupIdOf } from './many-devices.ts'
import { say, textsOf } from './meet.ts'
import { watchNonces } from './nonce-checker.ts'
import { viewsOf } from './one-view.ts'
import { circle, personId, personIds } from './people.ts'
import type { SimDevice } from './sim-device.ts'
import type { World } from './world.ts'

const NAMES = ['ann', 'bea', 'cid', 'dan', 'eve', 'fay', 'gil', 'hal']
const ROUND_MS = 25_000

/** What a race showed, besides faults: how often somebody's commit was ordered, and how often another one was faster. */
export type Raced = { readonly faults: readonly string[]; readonly offered: number; readonly ordered: number }

/**
 * Eight people of one group commit at the same moment, round after round: most of them want the same change of a role, so
 * that one commit settles it for all, the others something of their own, which has to come through however often they lose.
 */
export async function race(seed: number, rounds: number): Promise<Raced> {
  const { world, devices, hal } = await lineUp(seed)
  const nonces = watchNonces(world)
  let offered = 0
  world.onRequest((_, operation) => {
    if (operation === 'channel.commit') offered++
  })
  const ids = await Promise.all(devices.map(groupIdOf))
  const before = await commitsOf(devices, ids)
  const faults: string[] = []
  const said: string[] = []
  for (let round = 0; round < rounds && faults.length === 0; round++) {
    const role = round % 2 === 0 ? 'admin' : 'owner'
    let title: string | undefined
    for (const [i, device] of devices.entries()) {
      const channelId = ids[i] ?? ''
      const isAlike = i < devices.length - 1 && world.random.chance(0.75)
      if (isAlike) void device.request('setRole', { channelId, id: hal, role }).catch(() => undefined)
      else if (title === undefined && i < devices.length - 1) {
        title = `round ${round} by ${device.name}`
        void device.request('setProfile', { channelId, change: { title } })
      } else void device.request('heal', { channelId })
      if (!world.random.chance(0.2)) continue
      said.push(`in round ${round} by ${device.name}`)
      await say(device, channelId, said.at(-1) ?? '')
    }
    await world.run(ROUND_MS)
    const views = [...(await viewsOf(devices))]
    if (views.length !== 1) faults.push(`round ${round}: ${views.length} views`)
    else if (title !== undefined && JSON.parse(views[0] ?? '{}').title !== title) faults.push(`round ${round}: title`)
  }
  const [first = [], ...others] = await Promise.all(devices.map((one, i) => textsOf(one, ids[i] ?? '')))
  if ([...first].sort().join('\n') !== [...said].sort().join('\n'))
    faults.push(`${first.length} of ${said.length} said`)
  if (others.some((other) => other.join('\n') !== first.join('\n'))) faults.push('devices differ')
  const reused = await nonces.reused()
  if (reused.length > 0) faults.push(`reused: ${reused.join(', ')}`)
  return { faults, offered, ordered: (await commitsOf(devices, ids)) - before }
}

/** All of them owners, with nothing left to do. */
async function lineUp(seed: number): Promise<{ world: World; devices: readonly SimDevice[]; hal: string }> {
  const { world, first, others } = await circle(seed, NAMES)
  const members = await personIds(others)
  const { channelId } = await world.until(first.request('createGroup', { title: 'Walks', members }))
  await world.run(120_000)
  for (const id of members) await world.until(first.request('setRole', { channelId, id, role: 'owner' }))
  await world.run(30_000)
  const last = others.at(-1)
  if (last === undefined) throw new Error('unreachable')
  return { world, devices: [first, ...others], hal: await personId(last) }
}

async function commitsOf([first]: readonly SimDevice[], [id = '']: readonly string[]): Promise<number> {
  return (await first?.store().get('syncs', id))?.commits ?? 0
}
