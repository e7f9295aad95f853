import type { Clock } from '#app/ports/clock.ts'
import type { KeyMemory, LockState } from '#app/ports/lock.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { importWrapKey } from '#core/crypto/wrap-key.ts'

const CHANNEL = 'stave-lock'
const ANSWER_WITHIN_MS = 250
const SAY_AGAIN_AFTER_MS = 1_000
const MINUTE_MS = 60_000

type Channel = Pick<BroadcastChannel, 'postMessage' | 'addEventListener'>
type Held = { readonly id: Uint8Array; readonly key: CryptoKey; readonly afterMs: number; readonly untilMs: number }
type Said =
  | { readonly say: 'who' }
  | { readonly say: 'have'; readonly held: Held }
  | { readonly say: 'used'; readonly untilMs: number }
  | { readonly say: 'forget' }

/**
 * The key memory of the web app: every open tab and worker of the origin keeps the key, as a handle that none of them can
 * export. One that is opened later asks the others; when the last one closes, it is locked. Nothing of it is on a disk.
 */
export function makeTabsMemory(clock: Clock, channel: Channel = new BroadcastChannel(CHANNEL)): KeyMemory {
  const listeners = new Set<(state: LockState) => void>()
  let held: Held | undefined
  let cancel = (): void => {}
  let asked = ask()

  function tell(state: LockState): void {
    for (const listener of listeners) listener(state)
  }

  function say(said: Said): void {
    channel.postMessage(said)
  }

  /** Resolves once somebody has told the key, or nobody has in time. */
  function ask(): Promise<void> {
    return new Promise((resolve) => {
      const stop = clock.after(ANSWER_WITHIN_MS, done)
      function done(): void {
        listeners.delete(done)
        stop()
        resolve()
      }
      listeners.add(done)
      say({ say: 'who' })
    })
  }

  function keep(next: Held): void {
    const isNew = held === undefined || !equalBytes(held.id, next.id)
    held = next
    cancel()
    cancel = clock.after(Math.max(0, next.untilMs - clock.now()), expire)
    if (isNew) tell('unlocked')
  }

  function drop(): void {
    cancel()
    if (held === undefined) return
    held = undefined
    tell('locked')
  }

  /** A context that slept may have missed that somebody was there: it forgets all the same, and asks. */
  function expire(): void {
    drop()
    asked = ask()
  }

  channel.addEventListener('message', ({ data }: MessageEvent<Said>) => {
    if (data.say === 'forget') drop()
    else if (data.say === 'have') {
      if (data.held.untilMs > clock.now()) keep(data.held)
    } else if (held !== undefined && held.untilMs > clock.now()) {
      if (data.say === 'who') say({ say: 'have', held })
      else if (data.untilMs > held.untilMs) keep({ ...held, untilMs: data.untilMs })
    }
  })

  return {
    async load(lockId) {
      if (held === undefined) await asked
      // The timer of a context that slept comes late; the time does not.
      if (held !== undefined && held.untilMs <= clock.now()) drop()
      return held !== undefined && equalBytes(held.id, lockId) ? held.key : undefined
    },
    async save({ id, afterMinutes }, secret) {
      const key = await importWrapKey(secret)
      const afterMs = afterMinutes * MINUTE_MS
      const next = { id, key, afterMs, untilMs: clock.now() + afterMs }
      say({ say: 'have', held: next })
      keep(next)
    },
    touch() {
      if (held === undefined || held.untilMs <= clock.now()) return
      const untilMs = clock.now() + held.afterMs
      if (untilMs < held.untilMs + SAY_AGAIN_AFTER_MS) return
      say({ say: 'used', untilMs })
      keep({ ...held, untilMs })
    },
    async forget() {
      say({ say: 'forget' })
      drop()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
