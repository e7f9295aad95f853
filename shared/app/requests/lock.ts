import type { HandlersOf } from './handlers.ts'

/** K-10. The engine keeps the time; every context forgets its keys when it says so. */
export type LockRequests = {
  setLock: {
    args: { afterMinutes: number } & (
      | { by: 'passphrase'; passphrase: string }
      | { by: 'passkey'; credentialId: Uint8Array; prfSalt: Uint8Array; prf: Uint8Array }
    )
    reply: null
  }
  removeLock: { args: null; reply: null }
  lockNow: { args: null; reply: null }
  unlock: { args: { passphrase: string } | { prf: Uint8Array }; reply: null }
  touch: { args: null; reply: null }
}

export const lockHandlers = {} as unknown as HandlersOf<LockRequests>
