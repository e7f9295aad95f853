import type { OperationName } from '#core/wire/operations.ts'
import { makeMemoryRelay, type MemoryRelay } from '../memory-relay.ts'
import { Seeded } from '../seeded.ts'
import { settle, watchWebCrypto } from './settle.ts'
import { SimDevice } from './sim-device.ts'
import { FAIR, type Weather } from './sim-relay.ts'
import { Timeline } from './timeline.ts'

const START_MS = Date.UTC(2026, 0, 1)

/** Devices, the network between, and the relay, in one process: the same seed gives the same run. */
export class World {
  readonly seed: number
  readonly random: Seeded
  readonly timeline = new Timeline(START_MS)
  readonly relay: MemoryRelay
  readonly devices: SimDevice[] = []
  weather: Weather = FAIR
  #watchers: ((device: SimDevice, operation: OperationName, args: unknown) => void)[] = []

  constructor(seed: number) {
    watchWebCrypto()
    this.seed = seed
    this.random = new Seeded(seed)
    this.relay = makeMemoryRelay({ clock: () => this.timeline.nowMs, seed: this.random.u32() })
  }

  async device(name: string): Promise<SimDevice> {
    const device = new SimDevice(this, name)
    this.devices.push(device)
    await device.boot()
    return device
  }

  onRequest(watcher: (device: SimDevice, operation: OperationName, args: unknown) => void): void {
    this.#watchers.push(watcher)
  }

  watch(device: SimDevice, operation: OperationName, args: unknown): void {
    for (const watcher of this.#watchers) watcher(device, operation, args)
  }

  /** Lets `durationMs` of virtual time pass. */
  async run(durationMs: number): Promise<void> {
    const untilMs = this.timeline.nowMs + durationMs
    await settle()
    for (;;) {
      await this.relay.runAlarms(this.timeline.nowMs)
      if (!this.timeline.next(untilMs)) break
      await settle()
    }
    this.timeline.moveTo(untilMs)
  }

  /** Runs until `pending` is done, or fails after `limitMs` of virtual time. */
  async until<T>(pending: Promise<T>, limitMs = 60_000): Promise<T> {
    let outcome: { value: T } | { error: unknown } | undefined
    pending.then(
      (value) => {
        outcome = { value }
      },
      (error: unknown) => {
        outcome = { error }
      },
    )
    for (let passed = 0; passed < limitMs; passed += 50) {
      await this.run(50)
      if (outcome !== undefined) break
    }
    if (outcome === undefined) throw new Error(`seed ${this.seed}: nothing came of it in ${limitMs} ms`)
    if ('error' in outcome) throw outcome.error
    return outcome.value
  }

  /** The relay's process dies and starts again: its databases stay, what was under way is never answered. */
  restartRelay(): void {
    for (const device of this.devices) device.lose()
    this.relay.restart()
  }
}
