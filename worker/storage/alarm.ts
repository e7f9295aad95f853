import { nowMs } from '../clock.ts'

/** An object's one alarm, written only when it has to come sooner than it would anyway. */
export class Alarm {
  readonly #storage: DurableObjectStorage
  #atMs: number | undefined

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  within(delayMs: number): void {
    const atMs = nowMs() + delayMs
    if (this.#atMs === undefined || this.#atMs > atMs) this.at(atMs)
  }

  at(timeMs: number): void {
    this.#atMs = timeMs
    void this.#storage.setAlarm(timeMs)
  }

  clear(): void {
    this.#atMs = undefined
    void this.#storage.deleteAlarm()
  }

  /** It has come, or a transaction that set it was rolled back: when it comes next is not known. */
  forget(): void {
    this.#atMs = undefined
  }
}
