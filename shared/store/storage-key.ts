import type { KeyHandles } from '#app/ports/keys.ts'
import type { KeyMemory, LockRecord } from '#app/ports/lock.ts'
import { importWrapKey } from '#core/crypto/wrap-key.ts'
import { StoreError } from '#core/errors.ts'
import { makeStorageKey } from './key-wrap.ts'
import { decodeLock, encodeLock, LOCK_ROW } from './lock-record.ts'
import type { RawChange, Rows } from './rows.ts'

const HANDLE = 'storage'

/**
 * The key that wraps the table keys (K-04). Without a lock it is a handle that can't be exported; with one (K-10) it is
 * where the key memory has it, or nowhere. The lock's row alone says which: it changes in the transaction that wraps the
 * table keys anew.
 */
export class StorageKey {
  readonly #rows: Rows
  readonly #handles: KeyHandles
  readonly #memory: KeyMemory

  constructor(rows: Rows, handles: KeyHandles, memory: KeyMemory) {
    this.#rows = rows
    this.#handles = handles
    this.#memory = memory
  }

  async lock(): Promise<LockRecord | undefined> {
    const row = await this.#rows.get('keys', LOCK_ROW)
    return row && decodeLock(row)
  }

  /** @throws StoreError 'store/locked', 'store/keys-missing' */
  async current(): Promise<CryptoKey> {
    const lock = await this.lock()
    const key = lock === undefined ? await this.#handles.load(HANDLE) : await this.#memory.load(lock.id)
    if (key === undefined) throw new StoreError(lock === undefined ? 'store/keys-missing' : 'store/locked')
    return key
  }

  /** Makes the first one, before anything is wrapped under it. */
  async create(): Promise<CryptoKey> {
    const key = await makeStorageKey()
    await this.#handles.save(HANDLE, key)
    return key
  }

  /**
   * Moves to a lock's key. `rewrap` says what to write beside the lock's row. The memory has the key before the disk
   * asks for it, so that no context is ever without; the handle goes last, and opens nothing by then.
   */
  async moveToLock(
    lock: LockRecord,
    secret: Uint8Array,
    rewrap: (to: CryptoKey) => Promise<readonly RawChange[]>,
    fence: number,
  ): Promise<void> {
    const changes = await rewrap(await importWrapKey(secret))
    await this.#memory.save(lock, secret)
    await this.#rows.write([...changes, { put: 'keys', key: LOCK_ROW, value: encodeLock(lock) }], fence)
    await this.#handles.remove(HANDLE)
  }

  /** Moves to a handle: that is stored before the disk needs it, and nobody looks at it while there is a lock. */
  async moveToHandle(rewrap: (to: CryptoKey) => Promise<readonly RawChange[]>, fence: number): Promise<void> {
    const changes = await rewrap(await this.create())
    await this.#rows.write([...changes, { delete: 'keys', key: LOCK_ROW }], fence)
    await this.#memory.forget()
  }

  /** What a crash left: a handle that opens nothing any more, or does not open anything yet. */
  async tidy(): Promise<void> {
    if ((await this.lock()) !== undefined) await this.#handles.remove(HANDLE)
  }
}
