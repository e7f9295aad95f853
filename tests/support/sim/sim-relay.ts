import type { Relay, RelayEvents, RelayTarget } from '#app/ports/relay.ts'
import { RelayError } from '#core/errors.ts'
import type { ArgsOf, OperationName, ReplyOf } from '#core/wire/operations.ts'
import type { Connection, MemoryRelay } from '../memory-relay.ts'
import type { Seeded } from '../seeded.ts'
import type { Timeline } from './timeline.ts'

export type Weather = {
  readonly latencyMs: readonly [number, number]
  readonly loss: number // of a request or of its answer; either way the connection ends
  readonly pushLoss: number
  readonly pushTwice: number
}

export const FAIR: Weather = { latencyMs: [5, 60], loss: 0, pushLoss: 0, pushTwice: 0 }
export const FOUL: Weather = { latencyMs: [5, 1500], loss: 0.02, pushLoss: 0.1, pushTwice: 0.1 }

const RECONNECT_MS = 700

/** The relay port over a simulated network to the relay's real objects. */
export class SimRelay implements Relay {
  readonly #world: { relay: MemoryRelay; timeline: Timeline; weather: Weather }
  readonly #random: Seeded
  readonly #isDead: () => boolean
  #events: RelayEvents | undefined
  #connection: Connection | undefined
  #generation = 0
  away = false
  /** Sees every request as it leaves, delivered or not. */
  onRequest: (operation: OperationName, args: unknown) => void = () => {}
  /** Sees every answer that comes. */
  onReply: (operation: OperationName, reply: unknown) => void = () => {}
  /** What a relay that lies, or has no room, says instead of the real one. */
  forge: (operation: OperationName, args: unknown) => object | undefined = () => undefined

  constructor(
    world: { relay: MemoryRelay; timeline: Timeline; weather: Weather },
    random: Seeded,
    isDead: () => boolean,
  ) {
    this.#world = world
    this.#random = random
    this.#isDead = isDead
  }

  start(_target: RelayTarget, events: RelayEvents): void {
    this.#events = events
    this.#later(() => this.#connect())
  }

  nudge(): void {}
  cover(): void {}
  stop(): void {
    this.lose(false)
    this.#events = undefined
  }

  async askRealmKey(): Promise<Uint8Array> {
    return new Uint8Array(32).fill(7)
  }

  goAway(): void {
    this.away = true
    this.lose()
  }

  comeBack(): void {
    this.away = false
    this.#connect()
  }

  /** The connection is gone: nothing that was under way is answered. */
  lose(again = true): void {
    if (this.#connection === undefined) return
    this.#generation++
    this.#connection.close()
    this.#connection = undefined
    this.#events?.onState({ state: 'offline' })
    if (again) this.#world.timeline.plan(RECONNECT_MS, () => this.#connect())
  }

  call<O extends OperationName>(operation: O, args: ArgsOf<O>): Promise<ReplyOf<O>> {
    this.onRequest(operation, args)
    const connection = this.#connection
    const generation = this.#generation
    if (connection === undefined || this.#isDead()) return Promise.reject(unreachable())
    return new Promise((resolve, reject) => {
      const lost = (): boolean => {
        if (this.#generation === generation) return false
        reject(unreachable())
        return true
      }
      this.#later(() => {
        if (lost()) return
        if (this.#random.chance(this.#world.weather.loss)) {
          this.lose()
          return void lost()
        }
        const forged = this.forge(operation, args)
        const answer = forged === undefined ? connection.call(operation, args) : saying<ReplyOf<O>>(forged)
        answer.then(
          (reply) =>
            this.#later(() =>
              this.#deliver(lost, () => {
                this.onReply(operation, reply)
                resolve(reply)
              }),
            ),
          (error) => this.#later(() => this.#deliver(lost, () => reject(error))),
        )
      })
    })
  }

  #deliver(lost: () => boolean, give: () => void): void {
    if (lost()) return
    if (this.#random.chance(this.#world.weather.loss)) {
      this.lose()
      lost()
      return
    }
    give()
  }

  #connect(): void {
    if (this.#isDead() || this.away || this.#connection !== undefined || this.#events === undefined) return
    const generation = ++this.#generation
    this.#connection = this.#world.relay.connect(
      (push) => {
        if (this.#random.chance(this.#world.weather.pushLoss)) return
        const times = this.#random.chance(this.#world.weather.pushTwice) ? 2 : 1
        for (let i = 0; i < times; i++) {
          this.#later(() => {
            if (this.#generation === generation && !this.#isDead()) this.#events?.onPush(push)
          })
        }
      },
      () => this.lose(),
    ) // the relay's process died
    this.#events.onState({ state: 'online' })
  }

  #later(run: () => void): void {
    const [from, to] = this.#world.weather.latencyMs
    this.#world.timeline.plan(from + this.#random.below(to - from + 1), run)
  }
}

async function saying<T>(forged: object): Promise<T> {
  if (forged instanceof RelayError) throw forged
  return forged as T
}

function unreachable(): RelayError {
  return new RelayError('relay/unreachable', { retryable: true })
}
