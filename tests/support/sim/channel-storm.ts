import { ATTEMPTS, attempt } from './byzantine.ts'
import { addDevice, type Company, company, deviceIdOf, groupIn, type Person } from './company.ts'
import { watchNonces } from './nonce-checker.ts'
import { RosterWatch } from './roster-watch.ts'
import type { SimDevice } from './sim-device.ts'
import { FAIR, FOUL } from './sim-relay.ts'

/** How much of everything: see `small` and `large`. */
export type Size = {
  readonly people: number
  readonly devices: number
  readonly rounds: number // of a minute each, with something larger after each
  readonly acts: number // in a round
}
export const SMALL: Size = { people: 5, devices: 7, rounds: 3, acts: 14 }
export const LARGE: Size = { people: 12, devices: 30, rounds: 8, acts: 30 }

export type Said = {
  readonly text: string
  readonly by: Person
  readonly device: SimDevice
  isForked: boolean
}

export type Storm = Company & {
  readonly watch: RosterWatch
  readonly said: Said[]
  readonly gone: Set<SimDevice> // revoked
  readonly done: Map<string, number> // how often what was done
  isForked: boolean // the relay keeps two stories at the moment
}
export type Stormed = Storm & { readonly reused: readonly string[] }

const ROUND_MS = 60_000
const QUIET_MS = 8 * 60_000
const LARGER = ['link', 'revoke', 'fork', 'lie', 'lose', 'restart'] as const

/**
 * People talk, come, go, rise, fall and lose their devices, in foul weather, while processes die at any write, one member follows
 * no rules, and the relay shows two groups of them two stories. Whoever finds a channel paused as forked repairs it.
 */
export async function channelStorm(seed: number, size: Size): Promise<Stormed> {
  const made = await company(seed, size.people, size.devices)
  const { world, people } = made
  const watch = new RosterWatch(made.people[0]?.devices[0]?.name ?? '')
  for (const device of devicesOf(people.filter(({ isHonest }) => isHonest))) watch.follow(device)
  const nonces = watchNonces(world)
  const storm: Storm = { ...made, watch, said: [], gone: new Set(), done: new Map(), isForked: false }
  tend(storm)
  foul(storm)
  for (let round = 0; round < size.rounds; round++) {
    for (let i = 0; i < size.acts; i++) world.timeline.plan(world.random.below(ROUND_MS), () => void act(storm))
    await world.run(ROUND_MS)
    await larger(storm, LARGER[(seed + round) % LARGER.length] ?? 'lose')
  }
  calm(storm)
  await world.run(QUIET_MS)
  // Who was removed hears so when it next asks: nothing is given to a dead seat.
  for (const { devices } of people) for (const device of devices) device.lose()
  await world.run(QUIET_MS)
  return { ...storm, reused: await nonces.reused() }
}

function foul({ world, people }: Storm): void {
  world.weather = FOUL
  world.relay.crashPlan = () => {
    if (!world.random.chance(0.001)) return undefined
    return world.random.chance(0.5) ? 'before' : 'after'
  }
  for (const { devices } of people) for (const device of devices) device.crashChance = 0.003
}

function calm({ world, people }: Storm): void {
  world.weather = FAIR
  world.relay.crashPlan = () => undefined
  for (const { devices } of people) {
    for (const device of devices) {
      device.crashChance = 0
      device.forge = () => undefined
      device.comeBack()
    }
  }
}

/** What a person does who reads that a channel is paused: every half minute each looks at each of their devices. */
function tend(storm: Storm): void {
  const { world, people } = storm
  const look = async (device: SimDevice): Promise<void> => {
    const id = await groupIn(device)
    const channel = id === undefined ? undefined : await device.store().get('channels', id)
    if (id === undefined || channel?.pausedBy !== 'forked' || !device.running) return
    count(storm, 'repaired')
    await device.request('repairChannel', { channelId: id }).catch(() => undefined)
  }
  const again = (): void => {
    for (const { devices } of people) for (const device of devices) void look(device)
    world.timeline.plan(30_000, again)
  }
  again()
}

/** Something small by somebody. What they may not do, or can't at the moment, they don't. */
async function act(storm: Storm): Promise<void> {
  const { world, people } = storm
  const { random } = world
  const person = random.pick(people)
  const device = random.pick(person.devices)
  if (storm.gone.has(device)) return
  const dice = random.unit()
  if (!person.isHonest && dice < 0.5) return misbehave(storm, device)
  if (dice < 0.4) return say(storm, person, device)
  if (dice < 0.5) return spell(storm, device)
  const channelId = await groupIn(device)
  if (channelId === undefined || !device.running) return
  const other = random.pick(people)
  const owner = storm.people[0]?.devices[0]
  const ofOwner = storm.channelId
  const attempted =
    dice < 0.6 || owner === undefined || !owner.running
      ? device.request('heal', { channelId })
      : dice < 0.68
        ? device.request('setProfile', { channelId, change: { title: `Walks ${random.below(1000)}` } })
        : dice < 0.78
          ? owner.request('setRole', {
              channelId: ofOwner,
              id: other.id,
              role: random.pick(['owner', 'admin', 'member']),
            })
          : dice < 0.86
            ? owner.request('removeMember', { channelId: ofOwner, id: other.id })
            : dice < 0.98
              ? owner.request('addMembers', { channelId: ofOwner, ids: [other.id] })
              : person === storm.people[0]
                ? device.request('heal', { channelId })
                : device.request('leaveChannel', { channelId })
  await attempted.then(
    () => count(storm, 'asked'),
    () => undefined,
  )
}

async function say(storm: Storm, by: Person, device: SimDevice): Promise<void> {
  const id = await groupIn(device)
  const channel = id === undefined ? undefined : await device.store().get('channels', id)
  if (id === undefined || channel === undefined || channel.left !== undefined) return
  const text = `${storm.said.length} by ${device.name}`
  storm.said.push({ text, by, device, isForked: storm.isForked })
  await device.write(id, text)
  if (device.running) await device.request('wake', null)
}

function spell({ world }: Storm, device: SimDevice): void {
  device.goAway()
  world.timeline.plan(world.random.below(2 * ROUND_MS), () => device.comeBack())
}

async function misbehave(storm: Storm, device: SimDevice): Promise<void> {
  const { random } = storm.world
  const id = await groupIn(device)
  if (id === undefined) return
  const what = random.pick(ATTEMPTS.filter((one) => one !== 'head'))
  count(storm, what)
  await attempt(storm.world, device, id, what)
}

/** Something that takes a while, with everything else going on. */
async function larger(storm: Storm, what: (typeof LARGER)[number]): Promise<void> {
  const { world, people } = storm
  const honest = people.filter(({ isHonest }) => isHonest)
  count(storm, what)
  switch (what) {
    case 'link': {
      const device = await addDevice(world, world.random.pick(honest))
      storm.watch.follow(device)
      return
    }
    case 'revoke':
      return revoke(storm)
    case 'fork':
      return fork(storm)
    case 'lie': {
      const [liar] = people.filter(({ isHonest }) => !isHonest).flatMap(({ devices }) => devices)
      const id = liar && (await groupIn(liar))
      if (liar !== undefined && id !== undefined) await attempt(world, liar, id, 'head')
      return
    }
    case 'lose':
      return loseState(world.random.pick(world.random.pick(honest).devices))
    case 'restart':
      return world.restartRelay()
  }
}

/** The process dies, and what its disk has of the group can't be read any more. */
async function loseState(device: SimDevice): Promise<void> {
  const id = await groupIn(device)
  if (id === undefined) return
  device.kill()
  const rows = await device.store().list('epochs', { of: id })
  await device.disk.write(
    rows.map(({ key }) => ({ delete: 'epochs', key }) as const),
    undefined,
  )
}

async function revoke(storm: Storm): Promise<void> {
  const { world, people, gone } = storm
  const person = people.find(({ isHonest, devices }) => isHonest && devices.filter((one) => !gone.has(one)).length > 1)
  const [holder, lost] = person?.devices.filter((one) => !gone.has(one)) ?? []
  const deviceId = lost && (await deviceIdOf(lost))
  if (holder === undefined || lost === undefined || deviceId === undefined) return
  gone.add(lost)
  for (let tries = 0; tries < 20 && (await holder.store().list('tasks')).length === 0; tries++) {
    holder.comeBack()
    if (holder.running) void holder.request('revokeDevice', { deviceId }).catch(() => undefined)
    await world.run(5_000)
  }
}

/** The relay keeps two stories: the first person's, while others are away, then the others'; and shows the first one's in the end. */
async function fork(storm: Storm): Promise<void> {
  const { world, people } = storm
  const { random } = world
  const here = people.filter((_, i) => i === 0 || random.chance(0.5))
  const there = people.filter((one) => !here.includes(one))
  if (there.length === 0) return
  const [ours, theirs] = [devicesOf(here), devicesOf(there)]
  const toTheFork = world.relay.copy('CHANNEL')
  storm.isForked = true
  // What they had not sent yet goes out in that story first.
  for (const one of storm.said) one.isForked ||= there.includes(one.by) && (await isWaiting(one))
  for (const device of theirs) device.goAway()
  for (const device of ours) device.comeBack()
  for (let i = 0; i < 4; i++) {
    const by = random.pick(here)
    await say(storm, by, random.pick(by.devices))
    await world.run(5_000)
  }
  const toOurs = world.relay.copy('CHANNEL')
  for (const device of ours) device.goAway()
  toTheFork()
  for (const device of theirs) device.comeBack()
  for (let i = 0; i < 4; i++) {
    const by = random.pick(there)
    await say(storm, by, random.pick(by.devices))
    await world.run(5_000)
  }
  for (const device of theirs) device.goAway()
  toOurs()
  storm.isForked = false
  for (const device of [...ours, ...theirs]) device.comeBack()
  await world.run(20_000)
}

async function isWaiting({ device, text }: Said): Promise<boolean> {
  const id = await groupIn(device)
  const lines = id === undefined ? [] : await device.lines(id)
  return lines.some((line) => line.kind === 'text' && line.text === text && line.state === 'waiting')
}

function devicesOf(people: readonly Person[]): readonly SimDevice[] {
  return people.flatMap(({ devices }) => devices)
}

function count({ done }: Storm, what: string): void {
  done.set(what, (done.get(what) ?? 0) + 1)
}
