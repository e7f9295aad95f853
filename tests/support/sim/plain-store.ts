import type { RecordOf, TableName } from '#app/ports/records.ts'
import type { Change, FreeTable, Range, Row, RowKey, Store, StoreCondition } from '#app/ports/store.ts'
import { StoreError, UsageError } from '#core/errors.ts'
import { decodeCbor, encodeCbor } from '#core/wire/cbor.ts'
import { joined, Parts, partOf } from '#store/parts.ts'
import type { RawChange, Rows } from '#store/rows.ts'

const MAX_ROW_BYTES = 64 * 1024 * 1024

/**
 * The store without its seal: the same rows, fence and transactions. A simulation makes tens of thousands of writes, and
 * what sealing does is shown where SealedStore is tested.
 */
export class PlainStore implements Store {
  readonly #rows: Rows
  readonly #parts = new Parts()
  #fence: number | undefined

  constructor(rows: Rows) {
    this.#rows = rows
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

  async #get<T extends TableName>(table: T, key: RowKey): Promise<RecordOf[T] | undefined> {
    const value = await this.#rows.get(table, key)
    return value && (decodeCbor(value, MAX_ROW_BYTES) as RecordOf[T])
  }

  async list<T extends TableName>(table: T, range: Range = {}): Promise<readonly Row<T>[]> {
    const part = partOf(table)
    if (part === undefined) return this.#list(table, range)
    const [rows, others] = await Promise.all([this.#list(table, range), this.#list(part, range)])
    const more = new Map(others.map((row) => [String(row.key), row.record]))
    return rows.map(({ key, record }) => ({ key, record: joined<T>(record, more.get(String(key))) }))
  }

  async #list<T extends TableName>(table: T, range: Range): Promise<readonly Row<T>[]> {
    const rows = await this.#rows.range(table, range)
    return rows.map(({ key, value }) => ({ key, record: decodeCbor(value, MAX_ROW_BYTES) as RecordOf[T] }))
  }

  async write(changes: readonly Change[]): Promise<void> {
    if (this.#fence === undefined) throw new StoreError('store/fenced')
    const split = this.#parts.split(changes)
    await this.#rows.write(split.changes.map(plain), this.#fence)
    split.done()
  }

  /** As versions before records had parts did. */
  async unsafeWriteWhole<T extends TableName>(table: T, key: RowKey, record: RecordOf[T]): Promise<void> {
    await this.#rows.write([{ put: table, key, value: encode(record) }], this.#fence)
  }

  async takeOver(): Promise<void> {
    this.#fence = await this.#rows.raiseFence()
    this.#parts.forget()
  }

  async append(intent: RecordOf['intents']): Promise<void> {
    await this.#rows.append('intents', encode(intent))
  }

  async writeFree<T extends FreeTable>(table: T, key: string, record: RecordOf[T]): Promise<void> {
    await this.#rows.write([{ put: table, key, value: encode(record) }], undefined)
  }

  async lock(): Promise<undefined> {}

  /** What is not sealed can't be locked: the lock is shown where SealedStore is tested. */
  async setLock(): Promise<void> {
    throw new UsageError('plain-store/lock')
  }

  async removeLock(): Promise<void> {}

  async unlock(): Promise<void> {}

  async lockNow(): Promise<void> {}

  touch(): void {}

  onLock(): () => void {
    return () => {}
  }

  async condition(): Promise<StoreCondition> {
    return (await this.#rows.probe()) === 'filled' ? 'usable' : 'empty'
  }

  async create(): Promise<void> {
    await this.#rows.write([{ put: 'keys', key: 'made', value: new Uint8Array(1) }], undefined)
  }
}

function plain(change: Change): RawChange {
  return 'put' in change ? { put: change.put, key: change.key, value: encode(change.record) } : change
}

function encode(record: object): Uint8Array {
  return encodeCbor(withoutUndefined(record))
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined)
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutUndefined(field)]))
}
