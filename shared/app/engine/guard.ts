import { CryptoError, InputError, RelayError, StateError, StoreError, WireError } from '#core/errors.ts'
import type { Timers } from '../timers.ts'

/** A device that hears this was revoked, or the keys were rotated by another one. */
const SHUT_OUT: ReadonlySet<string> = new Set(['log/refused', 'log/generation', 'entry/refused', 'mailbox/closed'])

export type GuardHands = {
  readonly timers: Timers
  isStopped(): boolean
  /** There will be another connection: what it was cut off from goes on then. */
  isConnecting(): boolean
  fenced(): void
  shutOut(): void
  /** A fault of this program: not to be hidden, and the person's work goes on. */
  faulty(error: unknown): void
}

/**
 * One scope for errors: what may pass is tried again later, a lost writer stops, and a fault of one channel stays its
 * own (docs/style.md, section 5). A lost connection needs no retry: the next one begins by going on from here.
 */
export class Guard {
  readonly #hands: GuardHands

  constructor(hands: GuardHands) {
    this.#hands = hands
  }

  async run(name: string, task: () => Promise<void>, again: () => void): Promise<void> {
    const { timers } = this.#hands
    try {
      await task()
      timers.succeeded(name)
    } catch (error) {
      if (this.#hands.isStopped()) return
      if (error instanceof StoreError && error.code === 'store/fenced') return this.#hands.fenced()
      if (error instanceof InputError && error.code === 'identity/none') return // forgotten in the meantime (K-07)
      if (!isOurs(error)) {
        this.#hands.faulty(error)
        timers.retry(name, 0, again)
        return
      }
      if (SHUT_OUT.has(error.code)) this.#hands.shutOut()
      if (error instanceof RelayError && error.code === 'relay/unreachable' && this.#hands.isConnecting()) return
      const waitMs = error instanceof RelayError ? Number(error.detail.waitMs ?? 0) : 0
      timers.retry(name, waitMs, again)
    }
  }
}

type Ours = CryptoError | RelayError | StateError | StoreError | WireError

function isOurs(error: unknown): error is Ours {
  return [CryptoError, RelayError, StateError, StoreError, WireError].some((kind) => error instanceof kind)
}
