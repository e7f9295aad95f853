import type { OperationName } from '#core/wire/operations.ts'
import { type MemoryRelay, makeMemoryRelay } from '../memory-relay.ts'
import { Seeded } from '../seeded.ts'
import { settle, watchWebCrypto } from './settle.ts'
import { SimDevice } from './sim-device.ts'
import { FAIR, type Weather } from './sim-relay.ts'
import { installSyncStreams } from './sync-streams.ts'
import { installSyncWebCrypto } from './sync-webcrypto.ts'
import { Timeline } from './timeline.ts'

const START_MS = Date.UTC(2026, 0, 1)

/** Devices, the network between, and the relay, in one process: the same seed gives the same run. */
export class World {
  readonly seed: number
  readonly random: Seeded
  readonly timeline: Timeline
  readonly relay: MemoryRelay
  readonly devices: SimDevice[] = []
  weather: Weather = FAIR
  #replyWatchers: ((device: SimDevice, operation: OperationName, reply: unknown) => void)[] = []
  #watchers: ((device: SimDevice, operation: OperationName, args: unknown) => void)[] = []

  private constructor(seed: number, random: Seeded, timeline: Timeline, relay: MemoryRelay) {
    this.seed = seed
    this.random = random
    this.timeline = timeline
    this.relay = relay
  }

  static async make(seed: number): Promise<World> {
    installSyncWebCrypto()
    installSyncStreams()
    watchWebCrypto()
    const random = new Seeded(seed)
    const timeline = new Timeline(START_MS)
    const relay = await makeMemoryRelay({ clock: timeline.clock(() => false), seed: random.u32() })
    return new World(seed, random, timeline, relay)
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

  onReply(watcher: (device: SimDevice, operation: OperationName, reply: unknown) => void): void {
    this.#replyWatchers.push(watcher)
  }

  watchReply(device: SimDevice, operation: OperationName, reply: unknown): void {
    for (const watcher of this.#replyWatchers) watcher(device, operation, reply)
  }

  watch(device: SimDevice, operation: OperationName, args: unknown): void {
    for (const watcher of this.#watchers) watcher(device, operation, args)
  }

  /** Lets `durationMs` of virtual time pass. */
  async run(durationMs: number): Promise<void> {
    const untilMs = this.timeline.nowMs + durationMs
    await settle()
    for (;;) {
      const plannedMs = this.timeline.nextMs ?? Number.POSITIVE_INFINITY
      const alarmMs = this.relay.nextAlarmMs ?? Number.POSITIVE_INFINITY
      if (Math.min(plannedMs, alarmMs) > untilMs) break
      if (alarmMs <= plannedMs) {
        this.timeline.moveTo(alarmMs)
        await this.relay.runAlarms(this.timeline.nowMs)
      } else this.timeline.step()
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
