import { toBase64url } from '#core/bytes/base64url.ts'
import { SUITE_CLASSICAL, SUITE_XWING, type SuiteId } from '#core/mls/index.ts'
import { encodeReply, encodeRequest } from '#core/wire/message.ts'
import type { OperationName } from '#core/wire/operations.ts'
import { groupIdOf } from '../../tests/support/sim/many-devices.ts'
import { acquaint, identity, personId } from '../../tests/support/sim/people.ts'
import { knows, phantoms } from '../../tests/support/sim/phantoms.ts'
import type { SimDevice } from '../../tests/support/sim/sim-device.ts'
import { World } from '../../tests/support/sim/world.ts'
import { writtenBytes } from '../../tests/support/sim/written.ts'

export type Keys = 'hybrid' | 'classical'
/** Medians of one act: processor time of all that runs here (others may keep the machine busy), what went between the device and the relay, what its store wrote. */
export type Cost = { readonly ms: number; readonly wireBytes: number; readonly diskBytes: number }
export const ACTS = ['create', 'join', 'add', 'update', 'apply', 'send', 'open', 'return', 'answer'] as const
export type Act = (typeof ACTS)[number]
export type Costs = Readonly<Record<Act, Cost>>

const REPEATS = 5
/** By which a group is complete: what two people run, the maker and one more. */
const RUNNING = 2

/**
 * What a group of so many devices costs in the app: the real engine and the relay's real objects in this process, over
 * virtual time; two devices run, the others have left key packages and are silent. Nobody but the two has ever committed,
 * so that the tree is as adding has left it, which is the dearest that it can be.
 */
export async function measureApp(devices: number, keys: Keys, seed = devices): Promise<Costs> {
  const world = await World.make(seed)
  try {
    return await measureIn(world, devices, keys)
  } finally {
    for (const device of world.devices) device.goAway()
    world.relay.close() // databases of thousands of objects
  }
}

async function measureIn(world: World, devices: number, keys: Keys): Promise<Costs> {
  const [ann, bea] = [await identity(world, 'ann'), await identity(world, 'bea')]
  const meter = new Meter(world)
  const suite: SuiteId = keys === 'classical' ? SUITE_CLASSICAL : SUITE_XWING
  const making = { caller: world.relay.connect(() => {}), dice: world.random.fork().dice, suite }
  const silent = await phantoms(devices - RUNNING + REPEATS, { ...making, nowMs: world.timeline.nowMs })
  await acquaint(world, ann, [bea])
  await acquaint(world, bea, [ann])
  await knows(ann, silent)
  await world.run(30_000)
  const ids = silent.map(({ account }) => toBase64url(account))
  const first = [await personId(bea), ...ids.slice(0, devices - RUNNING)]
  bea.goAway()
  await world.run(5_000)

  const create = await meter.of(ann, async () => {
    const input = { title: 'All', members: first, large: keys === 'classical' }
    await world.until(ann.request('createGroup', input), 3_600_000)
    await quiet(world)
  })
  const join = await meter.of(bea, async () => {
    bea.comeBack()
    await quiet(world)
  })
  const channelId = await groupIdOf(ann)
  await world.run(2 * 3_600_000) // what a newcomer does by itself, and the log
  const idle = (): Promise<void> => quiet(world)

  const sends: Cost[] = []
  const opens: Cost[] = []
  for (let i = 0; i < REPEATS * 2; i++) {
    bea.goAway()
    sends.push(await meter.of(ann, () => said(world, ann, channelId, `message ${i}`)))
    opens.push(await meter.of(bea, () => back(bea, idle)))
  }
  const updates: Cost[] = []
  const applies: Cost[] = []
  for (let i = 0; i < REPEATS; i++) {
    bea.goAway()
    updates.push(
      await meter.of(ann, async () => {
        await world.until(ann.request('heal', { channelId }))
        await idle()
      }),
    )
    applies.push(await meter.of(bea, () => back(bea, idle)))
  }
  const answers: Cost[] = []
  const returns: Cost[] = []
  for (let i = 0; i < 2; i++) {
    const id = await groupIdOf(bea)
    bea.kill()
    const rows = await bea.store().list('epochs', { of: id })
    await bea.disk.write(
      rows.map(({ key }) => ({ delete: 'epochs', key }) as const),
      undefined,
    )
    const [returned, answered] = await meter.both(bea, ann, () => world.run(20 * 60_000))
    returns.push(returned)
    answers.push(answered)
  }
  bea.goAway()
  const adds: Cost[] = []
  for (const id of ids.slice(devices - RUNNING)) {
    adds.push(
      await meter.of(ann, async () => {
        await world.until(ann.request('addMembers', { channelId, ids: [id] }))
        await idle()
      }),
    )
  }
  return {
    create,
    join,
    add: middle(adds),
    update: middle(updates),
    apply: middle(applies),
    send: middle(sends),
    open: middle(opens),
    return: middle(returns),
    answer: middle(answers),
  }
}

/** Long enough for what was begun, too short for what is scheduled. */
function quiet(world: World): Promise<void> {
  return world.run(15_000)
}

async function said(world: World, device: SimDevice, channelId: string, text: string): Promise<void> {
  await device.write(channelId, text)
  await device.request('wake', null)
  await quiet(world)
}

async function back(device: SimDevice, idle: () => Promise<void>): Promise<void> {
  device.comeBack()
  await idle()
}

type Said = { readonly device: SimDevice; readonly op: OperationName; readonly args: unknown; readonly reply: unknown }

/** Counts only what the act itself brought: greeting the relay again is taken off. */
class Meter {
  #said: Said[] = []
  readonly #disk = new Map<SimDevice, number>()

  constructor(world: World) {
    world.onRequest((device, op, args) => {
      this.#said.push({ device, op, args, reply: {} })
    })
    world.onReply((device, op, reply) => {
      this.#said.push({ device, op, args: undefined, reply })
    })
    for (const device of world.devices) {
      device.disk.onWrite = (changes) => {
        this.#disk.set(device, (this.#disk.get(device) ?? 0) + writtenBytes(changes))
      }
    }
  }

  async of(device: SimDevice, act: () => Promise<void>): Promise<Cost> {
    const [cost] = await this.both(device, device, act)
    return cost
  }

  /** The time is that of both together. */
  async both(one: SimDevice, other: SimDevice, act: () => Promise<void>): Promise<readonly [Cost, Cost]> {
    this.#said = []
    this.#disk.clear()
    const began = process.cpuUsage()
    await act()
    const { user, system } = process.cpuUsage(began)
    const ms = (user + system) / 1000
    return [this.#costOf(one, ms), this.#costOf(other, ms)]
  }

  #costOf(device: SimDevice, ms: number): Cost {
    let wireBytes = 0
    for (const { device: by, op, args, reply } of this.#said) {
      if (by !== device || !op.startsWith('channel.')) continue
      wireBytes +=
        args === undefined ? encodeReply(1, reply as never).length : encodeRequest(1, op, args as never).length
    }
    return { ms, wireBytes, diskBytes: this.#disk.get(device) ?? 0 }
  }
}

function middle(costs: readonly Cost[]): Cost {
  const of = (field: keyof Cost): number => {
    const sorted = costs.map((cost) => cost[field]).toSorted((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  }
  return { ms: of('ms'), wireBytes: of('wireBytes'), diskBytes: of('diskBytes') }
}
