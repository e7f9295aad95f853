import { watchNonces } from './nonce-checker.ts'
import type { SimDevice } from './sim-device.ts'
import { FAIR, FOUL, type Weather } from './sim-relay.ts'
import { World } from './world.ts'

export type Storm = {
  readonly messages: number
  readonly devices: number
  readonly weather: Weather
  readonly crashChance: number // of a device, at each of its writes
  readonly relayRestarts: number
  readonly relayCrashChance: number // at each of its writes, before or after it is on the disk
  readonly awaySpells: number
  readonly heals: number
  readonly overMs: number
}

export type Outcome = {
  readonly written: readonly string[]
  readonly read: ReadonlyMap<string, readonly string[]> // by device: what each shows, in order
  readonly unreadable: readonly string[]
  readonly crashes: number // of devices
  readonly relayCrashes: number
  readonly reused: readonly string[]
  readonly described: readonly string[] // each device as it was at the end
}

const QUIET_MS = 300_000
const STORM_MS = 6 * 60_000

export function storm(messages: number): Storm {
  return {
    messages,
    devices: 6,
    weather: FOUL,
    crashChance: 0.01,
    relayRestarts: 5,
    relayCrashChance: 0.004,
    awaySpells: 8,
    heals: 12,
    overMs: STORM_MS,
  }
}

/** What is wrong with an outcome: every message readable exactly once at every device, in one order, no key twice. */
export function judge(
  { written, read, unreadable, reused, crashes, relayCrashes }: Outcome,
  messages: number,
): string[] {
  const faults: string[] = []
  const [first = [], ...others] = read.values()
  const texts = first.map((line) => line.slice(line.indexOf(' ') + 1)).sort()
  if (written.length !== messages) faults.push(`${written.length} of ${messages} were written`)
  if (texts.join('\n') !== [...written].sort().join('\n'))
    faults.push(`${texts.length} lines of ${written.length} messages`)
  if (others.some((other) => other.join('\n') !== first.join('\n'))) faults.push('devices differ')
  if (unreadable.length > 0) faults.push(`unreadable: ${unreadable.join(', ')}`)
  if (reused.length > 0) faults.push(`reused: ${reused.join(', ')}`)
  if (crashes === 0 || relayCrashes === 0) faults.push('nothing crashed')
  return faults
}

/** A group of devices that talk through a storm, and what each of them shows when it is over. */
export async function converse(seed: number, storm: Storm): Promise<Outcome> {
  const world = await World.make(seed)
  const nonces = watchNonces(world)
  const devices = await gather(world, storm.devices)
  const { written, relayCrashes } = await weather(world, devices, storm)
  await world.run(QUIET_MS)

  const described = await Promise.all(devices.map(async (device) => `${device.name} ${await device.describe()}`))
  const read = new Map<string, string[]>()
  const unreadable: string[] = []
  for (const device of devices) {
    const lines = await linesOf(device)
    read.set(
      device.name,
      lines.flatMap((line) => (line.kind === 'text' ? [`${line.author.id} ${line.text}`] : [])),
    )
    for (const line of lines) if (line.kind === 'unreadable') unreadable.push(`${device.name}: ${line.cause}`)
  }
  const crashes = devices.reduce((sum, device) => sum + device.crashes, 0)
  return { written, read, unreadable, crashes, relayCrashes, reused: await nonces.reused(), described }
}

/** Makes identities and one group with all of them in it, in fair weather. */
async function gather(world: World, count: number): Promise<SimDevice[]> {
  const devices: SimDevice[] = []
  for (let i = 0; i < count; i++) {
    const device = await world.device(`device-${i}`)
    await world.until(
      device.request('createIdentity', { name: `Person ${i}`, deviceName: `Device ${i}`, deviceKind: 'web' }),
    )
    devices.push(device)
  }
  const [first, ...others] = devices
  if (first === undefined) throw new Error('nobody')
  let into: string | undefined
  for (const other of others) {
    const { id } = await world.until(other.request('createInvitation', null))
    const link = (await other.store().get('invitations', id))?.link ?? ''
    const group = into === undefined ? { group: { title: 'Everybody' } } : { into }
    into = (await world.until(first.request('acceptInvitation', { link, ...group }))).channelId
    await world.run(1_000)
  }
  await world.run(60_000)
  for (const device of devices) {
    if ((await device.channelIds()).length !== 1) throw new Error(`seed ${world.seed}: ${device.name} has not joined`)
  }
  return devices
}

async function weather(
  world: World,
  devices: readonly SimDevice[],
  storm: Storm,
): Promise<{ written: string[]; relayCrashes: number }> {
  const { random, timeline } = world
  const written: string[] = []
  const whenever = (run: () => void): void => void timeline.plan(random.below(storm.overMs), run)
  for (let i = 0; i < storm.messages; i++) {
    const device = random.pick(devices)
    const text = `message ${i} by ${device.name}`
    whenever(() => {
      void write(device, text).then(() => written.push(text))
    })
  }
  for (let i = 0; i < storm.relayRestarts; i++) whenever(() => world.restartRelay())
  for (let i = 0; i < storm.awaySpells; i++) {
    const device = random.pick(devices)
    const spellMs = random.below(storm.overMs / 4)
    whenever(() => {
      device.goAway()
      timeline.plan(spellMs, () => device.comeBack())
    })
  }
  for (let i = 0; i < storm.heals; i++) {
    const device = random.pick(devices)
    whenever(() => {
      if (device.running) void heal(device).catch(() => undefined)
    })
  }
  world.weather = storm.weather
  let relayCrashes = 0
  world.relay.crashPlan = () => {
    if (!random.chance(storm.relayCrashChance)) return undefined
    relayCrashes++
    return random.chance(0.5) ? 'before' : 'after'
  }
  for (const device of devices) device.crashChance = storm.crashChance
  await world.run(storm.overMs)
  for (const device of devices) device.crashChance = 0
  world.weather = FAIR
  world.relay.crashPlan = () => undefined
  for (const device of devices) device.comeBack()
  return { written, relayCrashes }
}

async function write(device: SimDevice, text: string): Promise<void> {
  const [channelId] = await device.channelIds()
  await device.write(channelId ?? '', text)
}

async function heal(device: SimDevice): Promise<void> {
  const [channelId] = await device.channelIds()
  await device.request('heal', { channelId: channelId ?? '' })
}

async function linesOf(device: SimDevice) {
  const [channelId] = await device.channelIds()
  return device.lines(channelId ?? '')
}
