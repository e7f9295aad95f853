import { InputError } from '#core/errors.ts'
import type { Deps } from '../deps.ts'
import { Engine } from '../engine.ts'
import type { RequestArgs, RequestName, RequestReply } from '../requests.ts'

/**
 * Runs the engine while the store opens (K-10). When it is locked, the engine is stopped and dropped with all that it has
 * decoded; what arrives meanwhile stays at the relay, where nothing is acknowledged. When it is unlocked, another one
 * starts from the store.
 */
export class EngineHost {
  readonly #deps: Deps
  #engine: Engine
  #at: 'new' | 'running' | 'locked' = 'new'
  #settled: Promise<void> = Promise.resolve()

  constructor(deps: Deps) {
    this.#deps = deps
    this.#engine = new Engine(deps)
  }

  start(): Promise<void> {
    // What the disk refuses now is tried again by the next wake.
    this.#deps.store.onLock(() => void this.#follow().catch(() => undefined))
    return this.#follow()
  }

  /** @throws InputError 'lock/locked' for anything but unlocking, while it is locked */
  async request<R extends RequestName>(name: R, args: RequestArgs<R>): Promise<RequestReply<R>> {
    await this.#settled
    if (this.#at === 'locked' && name !== 'unlock') throw new InputError('lock/locked')
    return this.#engine.request(name, args)
  }

  wake(): void {
    void this.#settled.then(() => {
      if (this.#at === 'running') this.#engine.wake()
      else void this.#follow().catch(() => undefined)
    })
  }

  /** One change at a time, each by what the store says then. */
  #follow(): Promise<void> {
    const following = this.#settled.then(() => this.#look())
    this.#settled = following.catch(() => undefined)
    return following
  }

  async #look(): Promise<void> {
    const isLocked = (await this.#deps.store.condition()) === 'locked'
    if (isLocked === (this.#at === 'locked') && this.#at !== 'new') return
    if (isLocked) this.#drop()
    else await this.#engine.start()
    this.#at = isLocked ? 'locked' : 'running'
    this.#deps.changes.announce({ what: 'account' })
    this.#deps.changes.announce({ what: 'lock' })
  }

  #drop(): void {
    this.#engine.stop()
    this.#engine = new Engine(this.#deps)
    this.#deps.notifier.unread(0) // a count that stands still would tell of nothing
    this.#deps.changes.announce({ what: 'connection', connection: { state: 'idle' } })
  }
}
