import { nowMs } from '../clock.ts'

/** An object's one alarm, written only when it has to come sooner than it would anyway. */
export class Alarm {
  readonly #ctx: DurableObjectState
  #atMs: number | undefined

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx
    this.read()
  }

  within(delayMs: number): void {
    const atMs = nowMs() + delayMs
    if (this.#atMs === undefined || this.#atMs > atMs) this.at(atMs)
  }

  at(timeMs: number): void {
    this.#atMs = timeMs
    void this.#ctx.storage.setAlarm(timeMs)
  }

  clear(): void {
    this.#atMs = undefined
    void this.#ctx.storage.deleteAlarm()
  }

  /** It has come: none is set. */
  came(): void {
    this.#atMs = undefined
  }

  /**
   * When it comes by the disk, before the object is asked anything more: one that was set before the object slept would else be
   * put off by the next one, and under steady traffic never come.
   */
  read(): void {
    void this.#ctx.blockConcurrencyWhile(async () => {
      this.#atMs = (await this.#ctx.storage.getAlarm()) ?? undefined
    })
  }
}
