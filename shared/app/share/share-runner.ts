import { CryptoError, RelayError, StateError, WireError } from '#core/errors.ts'
import type { Deps } from '../deps.ts'
import type { ShareRecord } from '../ports/share-records.ts'
import type { RowKey } from '../ports/store.ts'
import type { Timers } from '../timers.ts'
import { failShare, postponeShare, type ShareHands, stepShare } from './keep-share.ts'
import { sendShare } from './send-share.ts'
import { channelIn } from './share-keys.ts'
import { takeShare } from './take-share.ts'

/** Where there is no room for longer than this, the person hears so. */
const MAX_FULL_MS = 60_000

export type RunnerHands = ShareHands & {
  readonly timers: Timers
  /** Greeted, as a device of the account. */
  isReady(): boolean
  /** In a turn of its own, left of the channels': what goes to and fro takes a while, and holds up no conversation. */
  inShareTurn(task: () => Promise<void>, again: () => void): void
}

/** What is shared and what is taken, one after the other (C-11). */
export class ShareRunner {
  readonly #deps: Deps
  readonly #hands: RunnerHands
  #due = false

  constructor(deps: Deps, hands: RunnerHands) {
    this.#deps = deps
    this.#hands = hands
  }

  noted(): void {
    if (this.#due) return
    this.#due = true
    this.#hands.inShareTurn(
      () => this.#run(),
      () => this.noted(),
    )
  }

  /** Each on its own: what the relay refuses of one holds up none of the others. */
  async #run(): Promise<void> {
    this.#due = false
    let cutOff: unknown
    for (const { key, record } of await this.#deps.store.list('shares')) {
      if (!this.#hands.isReady()) return
      if (!(await this.#isDue(key, record))) continue
      try {
        if (record.share === 'out') await sendShare(this.#deps, this.#hands, key, record)
        else if (record.share === 'in') await takeShare(this.#deps, this.#hands, key, record)
      } catch (error) {
        if (!isOurs(error)) throw error
        if (error.code === 'relay/unreachable') cutOff = error
        else await this.#putOff(key, error)
      }
    }
    await this.#setTimers()
    if (cutOff !== undefined) throw cutOff
  }

  async #putOff(key: RowKey, error: Ours): Promise<void> {
    const waitMs = error instanceof RelayError ? Number(error.detail.waitMs ?? 0) : 0
    const isFull = error.code === 'quota/stash' && waitMs > MAX_FULL_MS
    if (isFull) await failShare(this.#deps, this.#hands, key, 'history/full')
    else await postponeShare(this.#deps, this.#hands, key, waitMs)
  }

  async #setTimers(): Promise<void> {
    const nowMs = this.#deps.clock.now()
    for (const { record } of await this.#deps.store.list('shares')) {
      if (record.share === 'day' || record.failed !== undefined || record.postponed === undefined) continue
      const { notBeforeMs } = record.postponed
      this.#hands.timers.set(`share ${notBeforeMs}`, notBeforeMs - nowMs, () => this.noted())
    }
  }

  async #isDue(key: RowKey, record: ShareRecord): Promise<boolean> {
    if (record.share === 'day' || record.failed !== undefined) return false
    const channel = await this.#deps.store.get('channels', channelIn(key))
    if (channel === undefined || channel.left !== undefined) {
      // This account has left: there is nobody to share with, and nothing to ask for.
      await stepShare(this.#deps, this.#hands, key, async () => undefined)
      return false
    }
    if (channel.state !== 'open' || channel.request !== undefined) return false
    if (record.postponed !== undefined && this.#deps.clock.now() < record.postponed.notBeforeMs) return false
    if (record.share === 'out') return true
    // What the account's own log still brings stands above what others tell.
    return !record.asked && (await this.#deps.store.get('meta', 'restore')) === undefined
  }
}

type Ours = CryptoError | RelayError | StateError | WireError

function isOurs(error: unknown): error is Ours {
  return [CryptoError, RelayError, StateError, WireError].some((kind) => error instanceof kind)
}
