import type { KeyHandles } from '#app/ports/keys.ts'
import type { KeyMemory, LockRecord, LockState } from '#app/ports/lock.ts'
import type { RecordOf, TableName } from '#app/ports/records.ts'
import type { Change, FreeTable, Range, Row, RowKey, Store, StoreCondition } from '#app/ports/store.ts'
import { StoreError } from '#core/errors.ts'
import { joined, Parts, partOf } from './parts.ts'
import { openRow, sealRow } from './row-seal.ts'
import type { RawChange, Rows } from './rows.ts'
import { StorageKey } from './storage-key.ts'
import { TableKeys } from './table-keys.ts'

/** The store port: every record sealed under its table's key, bound to its table and row key (K-04). */
export class SealedStore implements Store {
  readonly #rows: Rows
  readonly #handles: KeyHandles
  readonly #memory: KeyMemory
  readonly #storage: StorageKey
  readonly #keys: TableKeys
  readonly #parts = new Parts()
  readonly #listeners = new Set<(state: LockState) => void>()
  #fence: number | undefined

  constructor(rows: Rows, handles: KeyHandles, memory: KeyMemory) {
    this.#rows = rows
    this.#handles = handles
    this.#memory = memory
    this.#storage = new StorageKey(rows, handles, memory)
    this.#keys = new TableKeys(rows, this.#storage)
    memory.subscribe((state) => {
      if (state === 'locked') {
        this.#keys.forget()
        this.#parts.forget()
      }
      for (const listener of this.#listeners) listener(state)
    })
  }

  async get<T extends TableName>(table: T, key: RowKey): Promise<RecordOf[T] | undefined> {
    const part = partOf(table)
    if (part === undefined) return this.#get(table, key)
    for (;;) {
      const { writes, known } = this.#parts.at(table, key)
      const [record, more] = await Promise.all([this.#get(table, key), known ?? this.#get(part, key)])
      if (this.#parts.at(table, key).writes !== writes) continue
      if (this.#fence !== undefined && record !== undefined && more !== undefined)
        this.#parts.noteRead(table, key, more)
      return record && joined<T>(record, more)
    }
  }

  async list<T extends TableName>(table: T, range: Range = {}): Promise<readonly Row<T>[]> {
    const part = partOf(table)
    if (part === undefined) return this.#list(table, range)
    const [rows, others] = await Promise.all([this.#list(table, range), this.#list(part, range)])
    const more = new Map(others.map((row) => [String(row.key), row.record]))
    return rows.map(({ key, record }) => ({ key, record: joined<T>(record, more.get(String(key))) }))
  }

  async #get<T extends TableName>(table: T, key: RowKey): Promise<RecordOf[T] | undefined> {
    const value = await this.#rows.get(table, key)
    if (value === undefined) return undefined
    return openRow(await this.#keys.of(table), table, key, value)
  }

  async #list<T extends TableName>(table: T, range: Range): Promise<readonly Row<T>[]> {
    const rows = await this.#rows.range(table, range)
    if (rows.length === 0) return []
    const tableKey = await this.#keys.of(table)
    return Promise.all(
      rows.map(async ({ key, value }) => ({ key, record: await openRow(tableKey, table, key, value) })),
    )
  }

  async write(changes: readonly Change[]): Promise<void> {
    const fence = this.#writer()
    const split = this.#parts.split(changes)
    // Sealed first: a transaction of IndexedDB ends as soon as anything else is awaited in it.
    await this.#rows.write(await Promise.all(split.changes.map((change) => this.#seal(change))), fence)
    split.done()
  }

  async takeOver(): Promise<void> {
    this.#fence = await this.#rows.raiseFence()
    this.#parts.forget()
    await this.#storage.tidy()
  }

  async append(intent: RecordOf['intents']): Promise<void> {
    await this.#rows.append('intents', await sealRow(await this.#keys.toSeal('intents'), 'intents', undefined, intent))
  }

  async writeFree<T extends FreeTable>(table: T, key: string, record: RecordOf[T]): Promise<void> {
    const value = await sealRow(await this.#keys.toSeal(table), table, key, record)
    await this.#rows.write([{ put: table, key, value }], undefined)
  }

  async condition(): Promise<StoreCondition> {
    let rows: 'empty' | 'filled'
    let names: readonly string[]
    try {
      rows = await this.#rows.probe()
      names = await this.#handles.names()
      const lock = rows === 'filled' ? await this.#storage.lock() : undefined
      if (lock !== undefined) return (await this.#memory.load(lock.id)) === undefined ? 'locked' : 'usable'
    } catch (error) {
      const code = error instanceof StoreError ? error.code : ''
      if (code === 'store/broken') return 'keys-missing' // the lock's row: nothing opens without it
      return code === 'store/newer' ? 'newer-data' : 'refused'
    }
    // The storage key is made first and the device's keys last, so what is there tells how far a first run came.
    if (rows === 'filled') return names.includes('storage') ? 'usable' : 'keys-missing'
    return names.includes('device-signing') ? 'data-missing' : 'empty'
  }

  async create(): Promise<void> {
    if ((await this.condition()) !== 'empty') throw new StoreError('store/exists')
    await this.#keys.create(await this.#storage.create())
  }

  lock(): Promise<LockRecord | undefined> {
    return this.#storage.lock()
  }

  async setLock(lock: LockRecord, secret: Uint8Array): Promise<void> {
    await this.#storage.moveToLock(lock, secret, (to) => this.#keys.rewrapped(to), this.#writer())
  }

  async removeLock(): Promise<void> {
    if ((await this.lock()) === undefined) return
    await this.#storage.moveToHandle((to) => this.#keys.rewrapped(to), this.#writer())
  }

  unlock(lock: LockRecord, secret: Uint8Array): Promise<void> {
    return this.#memory.save(lock, secret)
  }

  lockNow(): Promise<void> {
    return this.#memory.forget()
  }

  touch(): void {
    this.#memory.touch()
  }

  onLock(listener: (state: LockState) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #writer(): number {
    if (this.#fence === undefined) throw new StoreError('store/fenced')
    return this.#fence
  }

  async #seal(change: Change): Promise<RawChange> {
    if ('delete' in change) return change
    const { put, key, record } = change
    // A row of `intents` gets its key from the database, after it was sealed.
    const boundTo = put === 'intents' ? undefined : key
    return { put, key, value: await sealRow(await this.#keys.toSeal(put), put, boundTo, record) }
  }
}
