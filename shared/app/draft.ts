import { wipe } from '#core/bytes/wipe.ts'
import type { RecordOf, TableName } from './ports/records.ts'
import type { Change, Range, Row, RowKey, Store } from './ports/store.ts'

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

  /** Rows of one text and a number, as they will be. */
  async list<T extends TableName>(table: T, range: Range & { readonly of: string }): Promise<readonly Row<T>[]> {
    const held = [...this.#held.values()].filter(({ change }) => isIn(change, table, range))
    if (held.length === 0) return this.#store.list(table, range)
    const more = range.limit === undefined ? {} : { limit: range.limit + held.length }
    const stored = await this.#store.list(table, { ...range, ...more })
    const rows = new Map(stored.map((row) => [name(table, row.key), row]))
    for (const { change, record } of held) {
      if (record === undefined) rows.delete(name(table, change.key))
      else rows.set(name(table, change.key), { key: change.key, record: record as RecordOf[T] })
    }
    const up = range.newestFirst ? -1 : 1
    return [...rows.values()].sort((a, b) => up * (numberIn(a.key) - numberIn(b.key))).slice(0, range.limit)
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

function isIn(change: Change, table: TableName, { of, after, before }: Range): boolean {
  if (('put' in change ? change.put : change.delete) !== table) return false
  const { key } = change
  if (!Array.isArray(key) || key[0] !== of) return false
  return (after === undefined || numberIn(key) > after) && (before === undefined || numberIn(key) < before)
}

function numberIn(key: RowKey): number {
  return Array.isArray(key) ? Number(key[1]) : Number.NaN
}
