import { InputError } from '#core/errors.ts'
import type { Deps } from '../deps.ts'
import { Engine } from '../engine.ts'
import type { RequestArgs, RequestName, RequestReply } from '../requests.ts'

const RETRY_FIRST_MS = 2_000
const RETRY_MAX_MS = 60_000

/**
 * Runs the engine while the store opens (K-10). When it is locked, the engine is stopped and dropped with all that it has
 * decoded; what arrives meanwhile stays at the relay, where nothing is acknowledged. When it is unlocked, another one
 * starts from the store.
 */
export class EngineHost {
  readonly #deps: Deps
  #engine: Engine
  /** 'new': not begun, or the disk refused it. */
  #at: 'new' | 'running' | 'locked' = 'new'
  #settled: Promise<void> = Promise.resolve()
  #failures = 0
  #isRetrying = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#engine = new Engine(deps)
  }

  /** What the disk refuses now is tried again: by a timer, and by whatever is asked. */
  start(): Promise<void> {
    this.#deps.store.onLock(() => void this.#follow())
    return this.#follow()
  }

  /** @throws InputError 'lock/locked' for anything but unlocking, while it is locked */
  async request<R extends RequestName>(name: R, args: RequestArgs<R>): Promise<RequestReply<R>> {
    await this.#settled
    if (this.#at !== 'running') await this.#follow()
    if (this.#at === 'locked' && name !== 'unlock') throw new InputError('lock/locked')
    return this.#engine.request(name, args)
  }

  wake(): void {
    void this.#settled.then(() => {
      if (this.#at === 'running') this.#engine.wake()
      else void this.#follow()
    })
  }

  /** One change at a time, each by what the store says then. */
  #follow(): Promise<void> {
    this.#settled = this.#settled.then(() => this.#look()).catch(() => this.#retry())
    return this.#settled
  }

  async #look(): Promise<void> {
    const isLocked = (await this.#deps.store.condition()) === 'locked'
    if (isLocked === (this.#at === 'locked') && this.#at !== 'new') return
    if (isLocked) {
      this.#drop()
      this.#go('locked')
    } else if (await this.#engine.start()) this.#go('running')
    else {
      this.#go('new')
      this.#retry()
    }
  }

  #go(at: 'new' | 'running' | 'locked'): void {
    if (at === 'running') this.#failures = 0
    if (at === this.#at) return
    this.#at = at
    this.#deps.changes.announce({ what: 'account' })
    this.#deps.changes.announce({ what: 'lock' })
  }

  #retry(): void {
    if (this.#isRetrying) return
    this.#isRetrying = true
    const delayMs = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** this.#failures++)
    this.#deps.clock.after(delayMs, () => {
      this.#isRetrying = false
      if (this.#at !== 'running') void this.#follow()
    })
  }

  #drop(): void {
    this.#engine.stop()
    this.#engine = new Engine(this.#deps)
    this.#deps.notifier.unread(0) // a count that stands still would tell of nothing
    this.#deps.changes.announce({ what: 'connection', connection: { state: 'idle' } })
  }
}
