import { wipe } from '#core/bytes/wipe.ts'
import type { RecordOf, TableName } from './ports/records.ts'
import type { Change, RowKey, Store } from './ports/store.ts'

type Held = { readonly change: Change; readonly record: RecordOf[TableName] | undefined }

/**
 * One effect in the making: reads see what was put before, nothing is written until `commit`, and then all of it in one
 * transaction. Secrets that the effect spends are wiped after it is stored, never before (I-04).
 */
export class Draft {
  readonly #store: Store
  readonly #held = new Map<string, Held>()
  readonly #spent: Uint8Array[] = []

  constructor(store: Store) {
    this.#store = store
  }

  get empty(): boolean {
    return this.#held.size === 0
  }

  async get<T extends TableName>(table: T, key: RowKey): Promise<RecordOf[T] | undefined> {
    const held = this.#held.get(name(table, key))
    if (held !== undefined) return held.record as RecordOf[T] | undefined
    return this.#store.get(table, key)
  }

  put<T extends TableName>(table: T, key: RowKey, record: RecordOf[T]): void {
    this.#held.set(name(table, key), { change: { put: table, key, record } as Change, record })
  }

  delete(table: TableName, key: RowKey): void {
    this.#held.set(name(table, key), { change: { delete: table, key }, record: undefined })
  }

  spend(secrets: readonly Uint8Array[]): void {
    this.#spent.push(...secrets)
  }

  async commit(): Promise<void> {
    if (this.#held.size > 0) await this.#store.write([...this.#held.values()].map((held) => held.change))
    this.#held.clear()
    wipe(...this.#spent.splice(0))
  }
}

function name(table: TableName, key: RowKey): string {
  return JSON.stringify([table, key])
}
