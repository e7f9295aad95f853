import { equalBytes } from '#core/bytes/equal.ts'
import { RelayError, UsageError } from '#core/errors.ts'
import { readAccount, readRealm } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import type { Push, RelayState, RelayTarget } from '../ports/relay.ts'
import { joinRealm } from '../realm/join-realm.ts'

const ONLINE_WITHIN_MS = 15_000

export type ConnectionHands = {
  isStopped(): boolean
  inRealmTurn<T>(task: () => Promise<T>): Promise<T>
  /** The relay is there: greet it, and say `greeted`. */
  online(): void
  pushed(push: Push): void
}

/** The engine's one connection: as a device of the account, or as a guest, to link this device or to look an account up. */
export class Connection {
  readonly #deps: Deps
  readonly #hands: ConnectionHands
  readonly #whenGreeted = new Set<() => void>()
  #state: RelayState = { state: 'idle' }
  #isStarted = false // the relay was told where to connect
  #guest: RelayTarget | undefined
  #isGreeted = false // on this connection

  constructor(deps: Deps, hands: ConnectionHands) {
    this.#deps = deps
    this.#hands = hands
  }

  get state(): RelayState {
    return this.#state
  }

  get isStarted(): boolean {
    return this.#isStarted
  }

  get isGuest(): boolean {
    return this.#guest !== undefined
  }

  get isGreeted(): boolean {
    return this.#isGreeted
  }

  /** Greeted, as a device of the account. */
  get isReady(): boolean {
    return this.#isGreeted && this.#guest === undefined
  }

  /** Does nothing without an account, or a realm. */
  async connect(origin = this.#deps.defaultOrigin, noiseKey?: Uint8Array): Promise<void> {
    const account = await readAccount(this.#deps.store)
    if (account === undefined || account.revoked) return
    if (origin === '' && (await readRealm(this.#deps.store)) === undefined) return
    const realm = await this.#hands.inRealmTurn(() => joinRealm(this.#deps, origin, noiseKey))
    if (this.#hands.isStopped()) return
    if (this.#isStarted) return this.#deps.relay.nudge()
    this.#start({ origin: realm.origin, noiseKey: realm.noiseKey })
  }

  /** @throws RelayError 'relay/unreachable' */
  async online(origin?: string, noiseKey?: Uint8Array): Promise<void> {
    await this.connect(origin, noiseKey)
    await this.#untilGreeted()
  }

  /** @throws RelayError 'relay/unreachable' */
  async onlineAsGuest(origin = this.#deps.defaultOrigin, noiseKey?: Uint8Array): Promise<RelayTarget> {
    const account = await readAccount(this.#deps.store)
    if (account !== undefined && !account.revoked) throw new UsageError('guest/account')
    const target = { origin, noiseKey: noiseKey ?? (await this.#deps.relay.askRealmKey(origin)) }
    if (this.#guest?.origin !== origin || !equalBytes(this.#guest.noiseKey, target.noiseKey)) {
      this.leaveAsGuest()
      this.#guest = target
      this.#start(target)
    }
    await this.#untilGreeted()
    return target
  }

  leaveAsGuest(): void {
    if (this.#guest === undefined) return
    this.#guest = undefined
    this.disconnect()
  }

  disconnect(): void {
    this.#deps.relay.stop()
    this.#isStarted = false
    this.#enter({ state: 'idle' })
  }

  greeted(): void {
    this.#isGreeted = true
    for (const done of this.#whenGreeted) done()
    this.#whenGreeted.clear()
  }

  /** The relay speaks a later version: it is asked again at the next connect. */
  refused(): void {
    this.#tell({ state: 'refused', why: 'older-client' })
  }

  #start(target: RelayTarget): void {
    this.#isStarted = true
    this.#deps.relay.start(target, {
      onState: (state) => this.#enter(state),
      onPush: (push) => this.#hands.pushed(push),
    })
  }

  #enter(state: RelayState): void {
    this.#isGreeted = false
    this.#tell(state)
    if (state.state === 'online') this.#hands.online()
  }

  #tell(state: RelayState): void {
    this.#state = state
    this.#deps.changes.announce({ what: 'connection', connection: state })
  }

  async #untilGreeted(): Promise<void> {
    if (this.#isGreeted) return
    await new Promise<void>((resolve, reject) => {
      const cancel = this.#deps.clock.after(ONLINE_WITHIN_MS, () => {
        this.#whenGreeted.delete(done)
        reject(new RelayError('relay/unreachable', { retryable: true }))
      })
      const done = (): void => {
        cancel()
        resolve()
      }
      this.#whenGreeted.add(done)
    })
  }
}
