/** What opens a lock, and with what it was made: stored with what it protects, so that later locks may be stronger. */
export type LockDoor =
  | {
      readonly by: 'passphrase'
      readonly salt: Uint8Array
      readonly memoryKib: number
      readonly passes: number
      readonly lanes: number
    }
  | { readonly by: 'passkey'; readonly credentialId: Uint8Array; readonly prfSalt: Uint8Array }

/** The app lock of a store (K-10). It must be readable while all else is not, so it holds no secret in the clear. */
export type LockRecord = {
  readonly id: Uint8Array // 16 random bytes, new with each lock
  readonly door: LockDoor
  readonly sealed: Uint8Array // the bytes of the storage key
  readonly afterMinutes: number
}

export type LockState = 'locked' | 'unlocked'

/**
 * Where the storage key is while a store with a lock is unlocked: in memory, shared by the contexts of an origin, never on
 * a disk. It is forgotten everywhere once nobody has used Stave for the set time.
 */
export interface KeyMemory {
  /** The key of that lock, as long as it is unlocked. */
  load(lockId: Uint8Array): Promise<CryptoKey | undefined>
  save(lock: Pick<LockRecord, 'id' | 'afterMinutes'>, secret: Uint8Array): Promise<void>
  /** Somebody is there: the time starts anew. */
  touch(): void
  forget(): Promise<void>
  /** Calls back after any context saved or forgot it. */
  subscribe(listener: (state: LockState) => void): () => void
}

/** The lock as the store has it. */
export interface Lockable {
  /** Undefined: there is no lock. */
  lock(): Promise<LockRecord | undefined>
  /**
   * The engine's: from here on the store opens with these bytes alone, which `lock` holds sealed. Replaces a lock that is
   * there. A crash at any step leaves the old way or the new one. @throws StoreError as `write` does, 'store/locked'
   */
  setLock(lock: LockRecord, secret: Uint8Array): Promise<void>
  /** The engine's. @throws StoreError as `write` does, 'store/locked' */
  removeLock(): Promise<void>
  /** Any context: every one of the origin can read from here on. */
  unlock(lock: LockRecord, secret: Uint8Array): Promise<void>
  /** Any context: every one of the origin forgets its keys. */
  lockNow(): Promise<void>
  touch(): void
  /** Calls back when any context unlocked or locked it; this context has forgotten its keys by then. */
  onLock(listener: (state: LockState) => void): () => void
}
