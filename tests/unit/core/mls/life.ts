import { equalBytes } from '#core/bytes/equal.ts'
import { wipe } from '#core/bytes/wipe.ts'
import {
  encodeGroup,
  exportGroupInfo,
  type Group,
  groupIdOf,
  type Member,
  members,
  mergeStaged,
  openMessage,
  type Role,
  rejoinGroup,
  type SuiteId,
  sealMessage,
  stageCommit,
} from '#core/mls/index.ts'
import {
  type Account,
  type Changes,
  create,
  type Device,
  Disk,
  deviceOf,
  join,
  makeAccount,
  makeDevice,
  NO_SEATS,
  nameOf,
  packageOf,
  seededDice,
  type World,
  withDevices,
} from './support.ts'

export type Plan = {
  readonly seed: number
  readonly suite: SuiteId
  readonly steps: number
  readonly atMost: number
  readonly startWith?: number
  /** How many of the devices are restored after each step, when it is not all of them. */
  readonly restarts?: number
}
type Seat = { readonly device: Device; readonly disk: Disk; group: Group }
type Late = { readonly message: Uint8Array; readonly text: string; readonly to: Set<string>; readonly epoch: number }

/** A group's life as a seed has it: adds, removes, updates, roles, losers, messages that are lost for a while. */
export class Life {
  readonly seats = new Map<string, Seat>()
  readonly accounts = new Map<string, Account>()
  readonly counts = { commits: 0, joins: 0, rejoins: 0, deliveries: 0 }
  readonly #used = new Set<string>()
  #late: Late[] = []
  readonly #w: World
  readonly #plan: Plan

  private constructor(plan: Plan) {
    this.#plan = plan
    this.#w = { suite: plan.suite, dice: seededDice(`life ${plan.seed}`), nowMs: 1_800_000_000_000 }
  }

  static async begin(plan: Plan): Promise<Life> {
    const life = new Life(plan)
    const account = await life.#newAccount()
    life.#seat(deviceOf(account), await create(life.#w, account))
    if (plan.startWith !== undefined) await life.#add(life.#pick('owner'), plan.startWith - 1)
    return life
  }

  async step(): Promise<void> {
    const by = this.#pick()
    const role = this.#roleOf(by)
    if (this.seats.size > 1 && this.#below(6) === 0) await this.#rejoin(by)
    switch (role === 'member' ? 3 : this.#below(5)) {
      case 0:
      case 1:
        await (this.seats.size < this.#plan.atMost ? this.#add(by, 1 + this.#below(3)) : this.#remove(by))
        break
      case 2:
        await this.#remove(by)
        break
      case 3:
        await this.#commit(by, {})
        break
      default:
        await this.#promote(by)
    }
    await this.#talk()
    for (const seat of this.#sample()) this.#restart(seat)
  }

  #sample(): Iterable<Seat> {
    const seats = [...this.seats.values()]
    const { restarts = seats.length } = this.#plan
    if (restarts >= seats.length) return seats
    return Array.from({ length: restarts }, () => seats.splice(this.#below(seats.length), 1)).flat()
  }

  /** Everything that was held back comes in after all, and every member agrees. */
  async end(): Promise<void> {
    const late = this.#late
    this.#late = []
    for (const { message, text, to } of late) {
      for (const name of to) await this.#deliver(name, message, text)
    }
    this.check()
  }

  check(): void {
    const [first, ...others] = [...this.seats.values()].map(({ group }) => group.state)
    for (const state of others) {
      const same =
        state.keySchedule.epochAuthenticator.join() === first?.keySchedule.epochAuthenticator.join() &&
        state.groupContext.treeHash.join() === first?.groupContext.treeHash.join()
      if (!same) throw new Error('members disagree')
    }
  }

  #below(limit: number): number {
    const [a = 0, b = 0] = this.#w.dice(2)
    return ((a << 8) | b) % limit
  }

  #pick(role?: Role): string {
    const names = [...this.seats.keys()].filter((name) => role === undefined || this.#roleOf(name) === role)
    return names[this.#below(names.length)] ?? ''
  }

  #at(name: string): Seat {
    const seat = this.seats.get(name)
    if (seat === undefined) throw new Error('no such seat')
    return seat
  }

  #roleOf(name: string): Role {
    const { group } = this.#at(name)
    const leaf = group.state.privatePath.leafIndex
    return members(group).find((member) => member.leaf === leaf)?.role ?? 'member'
  }

  #seat(device: Device, group: Group): void {
    const disk = new Disk()
    disk.save(group)
    this.seats.set(device.deviceId.join(), { device, disk, group: disk.load(device.signer) })
  }

  async #newAccount(): Promise<Account> {
    const account = await makeAccount(`${this.#plan.seed}/${this.accounts.size}`)
    this.accounts.set(account.id.join(), account)
    return account
  }

  /** New people, and now and then another device of somebody who is there. */
  async #add(by: string, count: number): Promise<void> {
    const devices: Device[] = []
    const manifests = new Map<string, Uint8Array>()
    for (let i = 0; i < count; i++) {
      const present = this.#at(by).device.account.join()
      const own = this.#below(4) === 0 ? this.accounts.get(present) : undefined
      if (own !== undefined && own.devices.length < 32) {
        const device = await makeDevice(own.root)
        const grown = await withDevices(own.root, [...own.devices, device], own.sequence + 1)
        this.accounts.set(present, grown)
        manifests.set(present, grown.manifest)
        devices.push(device)
      } else {
        const account = await this.#newAccount()
        manifests.set(account.id.join(), account.manifest)
        devices.push(deviceOf(account))
      }
    }
    const made = await Promise.all(devices.map((device) => packageOf(this.#w, device)))
    const adds = made.map(({ keyPackage }) => keyPackage)
    const staged = await this.#commit(by, { adds, manifests: [...manifests.values()] })
    for (const [i, device] of devices.entries()) {
      const own = made[i]
      if (own === undefined) continue
      this.#seat(device, await join(staged, own, device))
      this.counts.joins++
    }
  }

  async #remove(by: string): Promise<void> {
    const group = this.#at(by).group
    const own = group.state.privatePath.leafIndex
    const role = this.#roleOf(by)
    const may = (member: Member) => member.leaf !== own && (role === 'owner' || member.role === 'member')
    const candidates = members(group).filter(may)
    const removes = new Set<number>()
    for (let i = 0; i < 1 + this.#below(2) && candidates.length > 1; i++) {
      const [gone] = candidates.splice(this.#below(candidates.length), 1)
      if (gone !== undefined && this.#keepsAnOwner(by, gone)) removes.add(gone.leaf)
    }
    await this.#commit(by, { removes: [...removes] })
  }

  #keepsAnOwner(by: string, gone: Member): boolean {
    return gone.role !== 'owner' || this.#roleOf(by) === 'owner'
  }

  async #promote(by: string): Promise<void> {
    if (this.#roleOf(by) !== 'owner') return void (await this.#commit(by, {}))
    const others = members(this.#at(by).group).filter(({ role }) => role !== 'owner')
    const one = others[this.#below(Math.max(1, others.length))]
    if (one === undefined) return void (await this.#commit(by, {}))
    await this.#commit(by, { roles: [{ account: one.account, role: this.#below(2) === 0 ? 'admin' : 'owner' }] })
  }

  /** One commit wins; now and then somebody else had staged one too, and drops it. */
  async #commit(by: string, { adds = [], removes = [], manifests = [], roles }: Changes) {
    const winner = this.#at(by)
    const data = { timeMs: this.#w.nowMs, seatsHash: NO_SEATS, manifests }
    const input = { adds, removes, authenticatedData: data, ...(roles === undefined ? {} : { roles }) }
    const staged = await stageCommit(winner.group, input, this.#w.dice)
    const loser = this.#pick()
    if (loser !== by && this.#below(3) === 0) {
      const nothing = { adds: [], removes: [], authenticatedData: { ...data, manifests: [] } }
      await stageCommit(this.#at(loser).group, nothing, this.#w.dice)
    }
    for (const [name, seat] of [...this.seats]) {
      if (name === by) continue
      const opened = await openMessage(seat.group, staged.commit, this.#w.nowMs)
      if (opened.kind !== 'commit') throw new Error('no commit')
      this.#keep(seat, opened)
      if (opened.removedSelf) this.#leave(name)
    }
    this.#keep(winner, await mergeStaged(winner.group, staged.next, this.#w.nowMs))
    this.counts.commits++
    this.check()
    return staged
  }

  /** A device that lost its state comes back by itself; what was on its way to its old leaf it can't open. */
  async #rejoin(name: string): Promise<void> {
    const { device } = this.#at(name)
    const helper = this.#at([...this.seats.keys()].find((other) => other !== name) ?? '')
    const account = this.accounts.get(device.account.join())
    if (account === undefined) throw new Error('no such account')
    const authenticatedData = { timeMs: this.#w.nowMs, seatsHash: NO_SEATS, manifests: [account.manifest] }
    const { signer, certificate } = device
    const input = { ...(await exportGroupInfo(helper.group)), groupId: groupIdOf(helper.group), signer, certificate }
    const { commit, next } = await rejoinGroup({ ...input, authenticatedData }, this.#w.dice)
    for (const [other, seat] of this.seats) {
      if (other !== name) this.#keep(seat, await openMessage(seat.group, commit, this.#w.nowMs))
    }
    this.#leave(name)
    this.#seat(device, next)
    this.counts.rejoins++
    this.check()
  }

  #leave(name: string): void {
    this.seats.delete(name)
    for (const { to } of this.#late) to.delete(name)
  }

  #keep(seat: Seat, { next, spent }: { next: Group; spent: readonly Uint8Array[] }): void {
    seat.group = next
    seat.disk.save(next)
    wipe(...spent)
  }

  /** From its rows, of which there are as many as if they had all been written now: none is missing, none is left over. */
  #restart(seat: Seat): void {
    const whole = encodeGroup(seat.group).put
    if (whole.map(nameOf).toSorted().join() !== seat.disk.names.join()) throw new Error('other rows than the state has')
    seat.group = seat.disk.load(seat.device.signer)
    const before = new Map(whole.map((row) => [nameOf(row), row.bytes]))
    for (const row of encodeGroup(seat.group).put) {
      const bytes = before.get(nameOf(row))
      if (bytes === undefined || !equalBytes(bytes, row.bytes)) throw new Error(`another ${nameOf(row)} came back`)
    }
  }

  async #talk(): Promise<void> {
    const from = this.#pick()
    const seat = this.#at(from)
    const text = `${this.counts.commits}/${this.#used.size}`
    const sealed = await sealMessage(seat.group, new TextEncoder().encode(text), new Uint8Array(), this.#w.dice)
    const place = `${sealed.epoch}/${sealed.leaf}/${sealed.generation}`
    if (this.#used.has(place)) throw new Error(`used twice: ${place}`)
    this.#used.add(place)
    this.#keep(seat, sealed)
    const to = new Set([...this.seats.keys()].filter((name) => name !== from))
    this.#late.push({ message: sealed.message, text, to, epoch: sealed.epoch })

    const overdue = (late: Late) => sealed.epoch - late.epoch >= 7
    for (const late of this.#late.toReversed()) {
      for (const name of late.to) {
        if (!overdue(late) && this.#below(4) === 0) continue
        late.to.delete(name)
        await this.#deliver(name, late.message, late.text)
      }
    }
    this.#late = this.#late.filter(({ to: left }) => left.size > 0)
  }

  async #deliver(name: string, message: Uint8Array, text: string): Promise<void> {
    const seat = this.#at(name)
    const opened = await openMessage(seat.group, message, this.#w.nowMs)
    const heard = opened.kind === 'message' ? new TextDecoder().decode(opened.plaintext) : ''
    if (heard !== text) throw new Error(`heard ${heard}`)
    this.#keep(seat, opened)
    this.counts.deliveries++
  }
}
