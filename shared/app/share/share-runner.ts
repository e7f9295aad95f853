import { CryptoError, RelayError, StateError, WireError } from '#core/errors.ts'
import type { Deps } from '../deps.ts'
import type { ShareRecord } from '../ports/share-records.ts'
import type { RowKey } from '../ports/store.ts'
import { type ShareHands, stepShare } from './keep-share.ts'
import { sendShare } from './send-share.ts'
import { channelIn } from './share-keys.ts'
import { takeShare } from './take-share.ts'

export type RunnerHands = ShareHands & {
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
    let failure: unknown
    for (const { key, record } of await this.#deps.store.list('shares')) {
      if (!this.#hands.isReady()) return
      if (!(await this.#isDue(key, record))) continue
      try {
        if (record.share === 'out') await sendShare(this.#deps, this.#hands, key, record)
        else if (record.share === 'in') await takeShare(this.#deps, this.#hands, key, record)
      } catch (error) {
        if (!isOurs(error)) throw error
        failure = error
      }
    }
    if (failure !== undefined) throw failure
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
    if (record.share === 'out') return true
    // What the account's own log still brings stands above what others tell.
    return !record.asked && (await this.#deps.store.get('meta', 'restore')) === undefined
  }
}

function isOurs(error: unknown): boolean {
  return [CryptoError, RelayError, StateError, WireError].some((kind) => error instanceof kind)
}
