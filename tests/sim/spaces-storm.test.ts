import { describe, expect, it } from 'vitest'
import { acquaint, personId } from '../support/sim/people.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { FAIR, FOUL } from '../support/sim/sim-relay.ts'
import { membersIn, shownIn, spaceOf } from '../support/sim/spaces.ts'

const STORM_MS = 4 * 60_000
const QUIET_MS = 15 * 60_000
/** More in the long run. */
const SEEDS = Number(process.env.STAVE_SPACE_SEEDS ?? 1)
const NAMES = ['ann', 'bea', 'cid', 'dan', 'eve']

/** Two owners and three others: whatever they do at once under loss and crashes, all end with one space. @returns what is wrong */
async function spaceStorm(seed: number, acts: number): Promise<string[]> {
  const { world, first: ann, others, home } = await spaceOf(seed, NAMES)
  const [bea, ...rest] = others
  if (bea === undefined) throw new Error('unreachable')
  const devices = [ann, ...others]
  for (const one of devices)
    await acquaint(
      world,
      one,
      devices.filter((other) => other !== one),
    )
  await world.until(ann.request('setRole', { channelId: home, id: await personId(bea), role: 'owner' }))
  await world.until(ann.request('addToSpace', { spaceId: home, title: 'Tools' }))
  await world.run(60_000)

  const { random, timeline } = world
  const homeId = async (device: SimDevice) =>
    (await device.face().channels()).find(({ id, space }) => space?.id === id)?.id ?? ''
  for (let i = 0; i < acts; i++) {
    const [owner, other, what] = [random.pick([ann, bea]), random.pick(rest), random.below(8)]
    const act = async (): Promise<unknown> => {
      if (!owner.running) return
      const channelId = await homeId(owner)
      const id = await personId(other)
      if (what < 2) return owner.request('addMembers', { channelId, ids: [id] })
      if (what < 4) return owner.request('removeMember', { channelId, id })
      if (what < 5) return owner.request('setRole', { channelId, id, role: random.pick(['member', 'admin'] as const) })
      if (what < 6) return owner.request('addToSpace', { spaceId: channelId, title: `Made ${i}` })
      const channels = (await owner.face().channels()).filter(
        ({ space, id: one }) => space?.id === channelId && one !== channelId,
      )
      if (channels.length === 0) return
      const { id: chosen } = random.pick(channels)
      if (what < 7) return owner.request('heal', { channelId: chosen })
      return channels.length < 2 ? undefined : owner.request('removeFromSpace', { channelId: chosen })
    }
    timeline.plan(random.below(STORM_MS), () => void act().catch(() => undefined))
  }
  for (let i = 0; i < 5; i++) {
    const device = random.pick(devices)
    timeline.plan(random.below(STORM_MS), () => {
      device.goAway()
      timeline.plan(random.below(STORM_MS / 4), () => device.comeBack())
    })
  }
  world.weather = FOUL
  for (const device of devices) device.crashChance = 0.004
  await world.run(STORM_MS)
  for (const device of devices) device.crashChance = 0
  world.weather = FAIR
  for (const device of devices) {
    device.lose() // a push that was lost is told again at the next connection, or never: that is no matter of spaces
    device.comeBack()
  }
  await world.run(QUIET_MS)
  return judge(devices, ann)
}

async function judge(devices: readonly SimDevice[], ann: SimDevice): Promise<string[]> {
  const faults: string[] = []
  const homeOf = async (device: SimDevice) =>
    (await device.face().channels()).find(({ id, space }) => space?.id === id && space !== undefined)
  const annHome = await homeOf(ann)
  if (annHome === undefined) return ['no space is left']
  const expected = await membersIn(ann, annHome.id)
  const titles = await shownIn(ann)
  for (const device of devices) {
    const home = await homeOf(device)
    if (!expected.some((name) => name.split(' ')[0] === device.name)) {
      const channels = (await device.face().channels()).filter(({ kind, space }) => kind === 'group' && space)
      const open = channels.filter(({ left }) => left === undefined)
      if (open.length > 0) faults.push(`${device.name} is out and still in ${open.map(({ title }) => title).join()}`)
      continue
    }
    if (home === undefined) {
      faults.push(`${device.name} has no space`)
      continue
    }
    const shown = (await shownIn(device)).join()
    if (shown !== titles.join()) faults.push(`${device.name} shows ${shown}, ann ${titles.join()}`)
    const channels = (await device.face().channels()).filter(({ space }) => space?.id === home.id)
    for (const { id, title } of channels) {
      const members = (await membersIn(device, id)).join()
      if (members !== expected.join()) faults.push(`${device.name} in ${title}: ${members}, ann: ${expected.join()}`)
    }
  }
  return faults
}

describe('[C-10] a space in a storm', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    it(`[SPC4] [SPC10] [I-16] people, roles and channels come and go under loss and crashes, and all end with one space: seed ${seed}`, {
      timeout: 600_000,
    }, async () => {
      expect(await spaceStorm(360 + seed, 24)).toEqual([])
    })
  }
})
