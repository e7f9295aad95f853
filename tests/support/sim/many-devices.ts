import type { RowKey } from '#app/ports/store.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import { invite } from './meet.ts'
import { watchNonces } from './nonce-checker.ts'
import type { SimDevice } from './sim-device.ts'
import { FAIR, FOUL } from './sim-relay.ts'
import { twin } from './twin.ts'
import { World } from './world.ts'

/** Three accounts: two with three devices, one with two, in one group. */
type Company = {
  readonly world: World
  readonly devices: readonly SimDevice[]
  readonly lost: SimDevice
  readonly holder: SimDevice
}

export type ManyOutcome = {
  readonly written: readonly string[] // by devices that stay
  readonly read: ReadonlyMap<string, readonly string[]>
  readonly other: readonly string[] // lines that are no text, by device
  readonly rosters: ReadonlySet<string>
  readonly seats: number
  readonly outside: string // how the revoked device ends
  readonly reused: readonly string[]
  readonly comebacks: number
}

const STORM_MS = 6 * 60_000
const QUIET_MS = 15 * 60_000

/** They talk under loss and crashes, lose their state and come back, and one of them is revoked in between. */
export async function manyDevices(seed: number, messages: number): Promise<ManyOutcome> {
  const { world, devices, lost, holder } = await gather(seed)
  const nonces = watchNonces(world)
  let comebacks = 0
  world.onRequest((_, operation) => {
    if (operation === 'channel.enter') comebacks++
  })
  const { random, timeline } = world
  const staying = devices.filter((device) => device !== lost)
  const written: string[] = []
  for (let i = 0; i < messages; i++) {
    const device = random.pick(devices)
    const atMs = random.below(device === lost ? STORM_MS / 3 : STORM_MS)
    const text = `message ${i} by ${device.name}`
    timeline.plan(atMs, () => {
      void write(device, text).then(() => {
        if (device !== lost) written.push(text)
      })
    })
  }
  for (let i = 0; i < 10; i++) {
    const device = random.pick(staying)
    const spellMs = random.below(STORM_MS / 4)
    timeline.plan(random.below(STORM_MS), () => {
      device.goAway()
      timeline.plan(spellMs, () => device.comeBack())
    })
  }
  for (let i = 0; i < 8; i++) {
    const device = random.pick(staying)
    timeline.plan(random.below(STORM_MS), () => void loseState(device))
  }
  timeline.plan(STORM_MS / 2, () => void revoke(world, holder, lost))
  world.weather = FOUL
  for (let i = 0; i < 3; i++) timeline.plan(random.below(STORM_MS), () => world.restartRelay())
  world.relay.crashPlan = () => {
    if (!random.chance(0.002)) return undefined
    return random.chance(0.5) ? 'before' : 'after'
  }
  for (const device of devices) device.crashChance = 0.006
  await world.run(STORM_MS)
  for (const device of devices) device.crashChance = 0
  world.relay.crashPlan = () => undefined
  world.weather = FAIR
  for (const device of staying) device.comeBack()
  await world.run(QUIET_MS)

  const read = new Map<string, string[]>()
  const other: string[] = []
  const rosters = new Set<string>()
  let seats = 0
  for (const device of staying) {
    const id = await groupIdOf(device)
    const lines = await device.lines(id)
    read.set(
      device.name,
      lines.flatMap((line) => (line.kind === 'text' ? [`${line.order} ${line.text}`] : [])),
    )
    for (const line of lines) {
      if (line.kind !== 'text' && line.kind !== 'group')
        other.push(`${device.name}: ${line.kind === 'unreadable' ? line.cause : line.notice}`)
    }
    const sync = await device.store().get('syncs', id)
    const places = (sync?.seats ?? []).map(({ leaf, seat, moderator }) => `${leaf} ${toBase64url(seat)} ${moderator}`)
    seats = places.length
    rosters.add(places.sort().join('\n'))
  }
  const { state } = await lost.face().account()
  return { written, read, other, rosters, seats, outside: state, reused: await nonces.reused(), comebacks }
}

async function gather(seed: number): Promise<Company> {
  const world = await World.make(seed)
  const firsts: SimDevice[] = []
  for (const name of ['ann', 'bea', 'cid']) {
    const device = await world.device(name)
    await world.until(device.request('createIdentity', { name, deviceName: 'one', deviceKind: 'web' }))
    firsts.push(device)
  }
  const [ann, bea, cid] = firsts
  if (ann === undefined || bea === undefined || cid === undefined) throw new Error('unreachable')
  const group = { group: { title: 'Everybody' } }
  const { channelId } = await world.until(ann.request('acceptInvitation', { link: await invite(world, bea), ...group }))
  await world.run(60_000)
  await world.until(ann.request('acceptInvitation', { link: await invite(world, cid), into: channelId }))
  await world.run(60_000)
  const devices = [...firsts]
  for (const [first, name] of [
    [ann, 'ann 2'],
    [ann, 'ann 3'],
    [bea, 'bea 2'],
    [bea, 'bea 3'],
    [cid, 'cid 2'],
  ] as const) {
    devices.push(await twin(world, first, name))
  }
  await world.run(180_000)
  for (const device of devices) await groupIdOf(device)
  const lost = devices.find(({ name }) => name === 'ann 3')
  if (lost === undefined) throw new Error('unreachable')
  return { world, devices, lost, holder: ann }
}

export async function groupIdOf(device: SimDevice): Promise<string> {
  const group = (await device.face().channels()).find(({ kind }) => kind === 'group')
  if (group === undefined) throw new Error(`${device.name} has no group`)
  return group.id
}

async function write(device: SimDevice, text: string): Promise<void> {
  await device.write(await groupIdOf(device), text)
  if (device.running) await device.request('wake', null)
}

/** The process dies, and what its disk has of the group can't be read any more. */
export async function loseState(device: SimDevice): Promise<void> {
  const id = await groupIdOf(device)
  device.kill()
  const keys = (await device.store().list('epochs', { of: id })).map(({ key }): RowKey => key)
  await device.disk.write(
    keys.map((key) => ({ delete: 'epochs', key }) as const),
    undefined,
  )
}

async function revoke(world: World, holder: SimDevice, lost: SimDevice): Promise<void> {
  const device = await lost.store().get('meta', 'device')
  if (device?.kind !== 'device') throw new Error('no device')
  const deviceId = toBase64url(device.deviceId)
  for (;;) {
    // A process that dies never answers: asked until it is noted, as a person would.
    const waited = new Promise<void>((done) => world.timeline.plan(20_000, done))
    const asked = holder.running ? holder.request('revokeDevice', { deviceId }).catch(() => waited) : waited
    await Promise.race([asked, waited])
    if ((await holder.store().list('tasks')).length > 0) return
  }
}

/** What is wrong with an outcome. */
export function judgeMany({ written, read, other, rosters, seats, outside, reused, comebacks }: ManyOutcome): string[] {
  const faults: string[] = []
  const [first = [], ...others] = read.values()
  if (others.some((one) => one.join('\n') !== first.join('\n')))
    faults.push(`devices differ: ${differing(read).join(' | ')}`)
  const texts = first.map((line) => line.slice(line.indexOf(' ') + 1))
  if (new Set(texts).size !== texts.length) faults.push('a message twice')
  const missing = written.filter((text) => !texts.includes(text))
  if (missing.length > 0) faults.push(`missing: ${missing.join(', ')}`)
  if (other.length > 0) faults.push(`left: ${other.join(', ')}`)
  if (rosters.size !== 1) faults.push('rosters differ')
  if (seats !== 7) faults.push(`${seats} seats`)
  if (outside !== 'revoked') faults.push(`the revoked device is ${outside}`)
  if (reused.length > 0) faults.push(`reused: ${reused.join(', ')}`)
  if (comebacks === 0) faults.push('nobody came back')
  return faults
}

/** Lines that not all have in the same place. */
function differing(read: ManyOutcome['read']): string[] {
  const all = new Set([...read.values()].flat())
  const names = [...read.keys()]
  return [...all].flatMap((line) => {
    const without = names.filter((name) => !read.get(name)?.includes(line))
    return without.length === 0 ? [] : [`${line}: not ${without.join(', ')}`]
  })
}
