import { describe, expect, it } from 'vitest'
import type { Dice } from '#core/crypto/random.ts'
import { seededDice } from '../unit/core/mls/support.ts'
import type { Device } from './device.ts'
import { coreCrypto } from './load-core-crypto.ts'
import { openMlsDevice } from './open-mls.ts'
import { ourDevice } from './ours.ts'

/** STAVE_LONG=1: more seeds. */
const seeds = Array.from({ length: process.env.STAVE_LONG === '1' ? 40 : 6 }, (_, i) => i + 1)
const STEPS = 14
const AT_MOST = 9

const theirDevice = async (dice: Dice): Promise<Device> => openMlsDevice(dice, await coreCrypto())

/** One group of devices of both engines. Every member takes every commit and every message, whoever made it. */
class Mixed {
  readonly members: Device[] = []
  readonly counts = { ours: 0, theirs: 0, joins: 0, externals: 0, removed: 0, messages: 0 }
  readonly #dice: Dice

  constructor(seed: number) {
    this.#dice = seededDice(`differential ${seed}`)
  }

  below(limit: number): number {
    const [a = 0, b = 0] = this.#dice(2)
    return ((a << 8) | b) % limit
  }

  pick(): Device {
    const device = this.members[this.below(this.members.length)]
    if (device === undefined) throw new Error('nobody')
    return device
  }

  device(): Promise<Device> {
    return this.below(2) === 0 ? ourDevice(this.#dice) : theirDevice(this.#dice)
  }

  async begin(founder: Device): Promise<void> {
    await founder.create(this.#dice(16))
    this.members.push(founder)
    await this.add(founder, [await ourDevice(this.#dice), await theirDevice(this.#dice)])
  }

  async step(): Promise<void> {
    const by = this.pick()
    const crowded = this.members.length >= AT_MOST
    switch (this.below(6)) {
      case 0:
      case 1:
        await (crowded ? this.remove(by) : this.add(by, [await this.device()]))
        break
      case 2:
        await (this.members.length > 3 ? this.remove(by) : this.update(by))
        break
      case 3:
        await (crowded ? this.update(by) : this.comeIn(by))
        break
      default:
        await this.update(by)
    }
    await this.talk()
  }

  async add(by: Device, devices: readonly Device[]): Promise<void> {
    const adds = await Promise.all(devices.map((device) => device.keyPackage()))
    const { commit, welcome } = await by.commit({ adds })
    await this.#taken(by, commit)
    if (welcome === undefined) throw new Error('no welcome')
    for (const device of devices) {
      await device.join(welcome)
      this.members.push(device)
      this.counts.joins++
    }
    await this.agree()
  }

  async remove(by: Device): Promise<void> {
    const others = this.members.filter((member) => member !== by)
    const gone = others[this.below(others.length)]
    if (gone === undefined) return
    this.members.splice(this.members.indexOf(gone), 1)
    const { commit } = await by.commit({ removes: [gone.id] })
    await this.#taken(by, commit)
    await gone.follow(commit)
    const { seal } = by
    await expect(gone.open(await seal(new Uint8Array(3))), 'it reads on').rejects.toBeDefined()
    this.counts.removed++
    await this.agree()
  }

  async update(by: Device): Promise<void> {
    const { commit } = await by.commit({})
    await this.#taken(by, commit)
    await this.agree()
  }

  async comeIn(by: Device): Promise<void> {
    await this.update(by) // core-crypto gives a group info with a commit alone
    const device = await this.device()
    const commit = await device.joinBy(await by.groupInfo())
    await this.#taken(device, commit)
    this.members.push(device)
    this.counts.externals++
    await this.agree()
  }

  async talk(): Promise<void> {
    const by = this.pick()
    const text = new TextEncoder().encode(`${this.counts.messages++} of ${by.engine}`)
    const sealed = await by.seal(text)
    for (const member of this.members) {
      if (member !== by) expect(Buffer.from(await member.open(sealed))).toEqual(Buffer.from(text))
    }
  }

  async agree(): Promise<void> {
    const seen = await Promise.all(
      this.members.map(async (member) => ({
        epoch: await member.epoch(),
        exported: Buffer.from(await member.exported()).toString('hex'),
        members: await member.members(),
      })),
    )
    for (const one of seen) expect(one).toEqual(seen[0])
    expect(seen[0]?.members).toEqual(this.members.map(({ id }) => id).toSorted())
  }

  async #taken(by: Device, commit: Uint8Array): Promise<void> {
    this.counts[by.engine === 'ours' ? 'ours' : 'theirs']++
    for (const member of this.members) if (member !== by) await member.follow(commit)
  }
}

describe('[C-01] core/mls and OpenMLS in one group, both ways', () => {
  it.each(seeds)(
    'seed %i: adds, joins, updates, removes, external commits and messages of either are taken by both',
    async (seed) => {
      const mixed = new Mixed(seed)
      const dice = seededDice(`founder ${seed}`)
      await mixed.begin(await (seed % 2 === 0 ? ourDevice(dice) : theirDevice(dice)))
      for (let step = 0; step < STEPS; step++) await mixed.step()
      expect(mixed.counts.ours).toBeGreaterThan(0)
      expect(mixed.counts.theirs).toBeGreaterThan(0)
      console.log(`seed ${seed}: ${JSON.stringify(mixed.counts)}`)
    },
  )
})
