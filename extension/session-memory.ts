import { browser } from 'wxt/browser'
import type { Clock } from '#app/ports/clock.ts'
import type { KeyMemory, LockState } from '#app/ports/lock.ts'
import { fromBase64url, toBase64url } from '#core/bytes/base64url.ts'
import { importWrapKey } from '#core/crypto/wrap-key.ts'

const ITEM = 'stave-lock'
const SAY_AGAIN_AFTER_MS = 1_000
const MINUTE_MS = 60_000

type Held = { readonly id: string; readonly secret: string; readonly afterMs: number; readonly untilMs: number }

/**
 * The key memory of the extension: `storage.session`, which the browser keeps in its own memory and gives to the
 * extension's pages and its background alone. The background is stopped at any time, so the bytes must outlive it; a
 * deadline goes with them, and whoever looks after it finds nothing.
 */
export function makeSessionMemory(clock: Clock): KeyMemory {
  const listeners = new Set<(state: LockState) => void>()
  const area = browser.storage.session
  let cancel = (): void => {}
  let known: Held | undefined
  let heard = 0

  function note(held: Held | undefined): void {
    known = held
    cancel()
    if (held !== undefined) cancel = clock.after(Math.max(0, held.untilMs - clock.now()), () => void current())
  }

  async function current(): Promise<Held | undefined> {
    const before = heard
    const held = (await area.get(ITEM))[ITEM] as Held | undefined
    if (before !== heard) return current() // it changed while it was read: what was heard since is newer
    if (held !== undefined && held.untilMs <= clock.now()) {
      await area.remove(ITEM)
      return undefined
    }
    note(held)
    return held
  }

  area.onChanged.addListener((changes) => {
    const change = changes[ITEM]
    if (change === undefined) return
    heard++
    const [before, after] = [change.oldValue, change.newValue] as (Held | undefined)[]
    note(after)
    if (before?.id === after?.id) return // only its deadline moved
    for (const listener of listeners) listener(after === undefined ? 'locked' : 'unlocked')
  })
  void current()

  return {
    async load(lockId) {
      const held = await current()
      if (held === undefined || held.id !== toBase64url(lockId)) return undefined
      return importWrapKey(fromBase64url(held.secret))
    },
    async save({ id, afterMinutes }, secret) {
      const afterMs = afterMinutes * MINUTE_MS
      const held: Held = { id: toBase64url(id), secret: toBase64url(secret), afterMs, untilMs: clock.now() + afterMs }
      await area.set({ [ITEM]: held })
    },
    touch() {
      if (known === undefined || known.untilMs <= clock.now()) return
      const untilMs = clock.now() + known.afterMs
      if (untilMs < known.untilMs + SAY_AGAIN_AFTER_MS) return
      note({ ...known, untilMs })
      void area.set({ [ITEM]: known })
    },
    async forget() {
      await area.remove(ITEM)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
