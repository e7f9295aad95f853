import type { KeyMemory, LockState } from '#app/ports/lock.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { importWrapKey } from '#core/crypto/wrap-key.ts'

/** The memory of one origin in one process: every context that is given it locks and unlocks together. No deadline. */
export function makeKeyMemory(): KeyMemory {
  const listeners = new Set<(state: LockState) => void>()
  let held: { readonly id: Uint8Array; readonly key: CryptoKey } | undefined
  const tell = (state: LockState): void => {
    for (const listener of listeners) listener(state)
  }
  return {
    load: async (lockId) => (held !== undefined && equalBytes(held.id, lockId) ? held.key : undefined),
    save: async ({ id }, secret) => {
      held = { id, key: await importWrapKey(secret) }
      tell('unlocked')
    },
    touch: () => {},
    forget: async () => {
      held = undefined
      tell('locked')
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
