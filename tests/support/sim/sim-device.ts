import { Engine } from '#app/engine.ts'
import { localFace } from '#app/face/local-face.ts'
import type { Face, Line } from '#app/face.ts'
import type { RequestArgs, RequestName, RequestReply } from '#app/ports/bridge.ts'
import type { Changes } from '#app/ports/changes.ts'
import type { Notifier } from '#app/ports/notifier.ts'
import { makeAgeSeal } from '#web/age-seal.ts'
import { MemoryRows, makeMemoryHandles } from '../memory-rows.ts'
import { noPasskeys } from '../no-passkeys.ts'
import type { Seeded } from '../seeded.ts'
import { PlainStore } from './plain-store.ts'
import { ProcessRows } from './process-rows.ts'
import { SimRelay } from './sim-relay.ts'
import type { World } from './world.ts'

const silent: Changes = { announce: () => {}, subscribe: () => () => {} }
const RESTART_MS = 400

/** One installation: a disk that stays, and one process after another on it. */
export class SimDevice {
  readonly name: string
  readonly disk = new MemoryRows()
  readonly handles = makeMemoryHandles()
  readonly #world: World
  readonly #random: Seeded
  #process:
    | { readonly rows: ProcessRows; readonly engine: Engine; readonly relay: SimRelay; readonly store: PlainStore }
    | undefined
  crashes = 0
  /** What the relay says to this device instead of the truth. */
  forge: SimRelay['forge'] = () => undefined
  /** What the person is told when no face is looking. */
  notifier: Notifier = { unread: () => {}, arrived: () => {} }
  #crashChance = 0
  #crashAt: { left: number; readonly side: 'before' | 'after' } | undefined

  constructor(world: World, name: string) {
    this.#world = world
    this.name = name
    this.#random = world.random.fork()
  }

  get running(): boolean {
    return this.#process !== undefined && !this.#process.rows.dead
  }

  /** From now on each write kills the process with this probability. */
  set crashChance(chance: number) {
    this.#crashChance = chance
  }

  /** The `n`th write from now on kills the process, before or after it took effect. */
  crashAt(n: number, side: 'before' | 'after'): void {
    this.#crashAt = { left: n, side }
  }

  async boot(): Promise<void> {
    const rows: ProcessRows = new ProcessRows(
      this.disk,
      () => this.#crashPlan(),
      () => this.#died(),
    )
    const isDead = (): boolean => rows.dead
    const relay = new SimRelay(this.#world, this.#random.fork(), isDead)
    relay.onRequest = (operation, args) => this.#world.watch(this, operation, args)
    relay.onReply = (operation, reply) => this.#world.watchReply(this, operation, reply)
    relay.forge = (operation, args) => this.forge(operation, args)
    const store = new PlainStore(rows)
    const engine = new Engine({
      store,
      handles: this.handles,
      relay,
      clock: this.#world.timeline.clock(isDead),
      dice: this.#random.fork().dice,
      changes: silent,
      notifier: {
        unread: (total) => this.notifier.unread(total),
        arrived: (channelId, title) => this.notifier.arrived(channelId, title),
      },
      defaultOrigin: 'https://realm.example',
      joinsAtOnce: true,
    })
    this.#process = { rows, engine, relay, store }
    await engine.start()
  }

  kill(): void {
    if (this.#process === undefined || this.#process.rows.dead) return
    this.#process.rows.dead = true
    this.#died()
  }

  goAway(): void {
    this.#process?.relay.goAway()
  }

  comeBack(): void {
    this.#process?.relay.comeBack()
  }

  lose(): void {
    this.#process?.relay.lose()
  }

  request<R extends RequestName>(name: R, args: RequestArgs<R>): Promise<RequestReply<R>> {
    if (this.#process === undefined) throw new Error(`${this.name} is not running`)
    return this.#process.engine.request(name, args)
  }

  /** What a face would do: write it to the store, whoever is running. */
  async write(channelId: string, text: string): Promise<void> {
    await this.face().sendText(channelId, text)
  }

  /** Besides the notes to oneself, which everybody has. */
  async channelIds(): Promise<readonly string[]> {
    return (await this.face().channels()).filter(({ kind }) => kind !== 'notes').map((channel) => channel.id)
  }

  async lines(channelId: string): Promise<readonly Line[]> {
    return (await this.face().lines(channelId, { limit: 100_000 })).lines
  }

  /** A store of its own, as the checker and the faces of a device have one. */
  store(): PlainStore {
    return new PlainStore(this.disk)
  }

  /** For a person who looks into a seed that failed. */
  async describe(): Promise<string> {
    const store = this.store()
    const [sync] = await store.list('syncs')
    const [channel] = await store.list('channels')
    const outbox = await store.list('outbox')
    const intents = await store.list('intents')
    const { cursor, commits, lastCommit, wanted, owed } = sync?.record ?? {}
    return JSON.stringify({
      running: this.running,
      connection: this.#process?.engine.state,
      channel: channel?.record.state,
      ...{ cursor, commits, lastCommit, wanted, owed: owed?.length, outbox: outbox.length, intents: intents.length },
    })
  }

  face(): Face {
    return localFace({
      store: this.store(),
      bridge: { request: async (name, args) => this.request(name, args) },
      changes: silent,
      clock: this.#world.timeline.clock(() => false),
      dice: this.#random.dice,
      askPersistence: async () => 'granted',
      isPersistent: async () => true,
      supported: () => true,
      kind: 'web',
      passkeys: noPasskeys,
      archiveSeal: makeAgeSeal(),
    })
  }

  #crashPlan(): 'before' | 'after' | undefined {
    const planned = this.#crashAt
    if (planned !== undefined && --planned.left === 0) {
      this.#crashAt = undefined
      return planned.side
    }
    if (!this.#random.chance(this.#crashChance)) return undefined
    return this.#random.chance(0.5) ? 'before' : 'after'
  }

  #died(): void {
    this.crashes++
    this.#process?.relay.stop()
    this.#world.timeline.plan(RESTART_MS, () => void this.boot())
  }
}
