import type { Lockable } from './lock.ts'
import type { RecordOf, TableName } from './records.ts'

/** A text, or a text and a number: sorts by the text, then by the number. */
export type RowKey = string | number | readonly [string, number] | readonly [string, string]

export type Row<T extends TableName> = { readonly key: RowKey; readonly record: RecordOf[T] }

export type Range = {
  /** All rows whose key starts with this text; absent: the whole table. */
  readonly of?: string
  readonly after?: number // exclusive bounds of the number in the key
  readonly before?: number
  readonly newestFirst?: boolean
  readonly limit?: number
}

export type Change =
  | { readonly [T in TableName]: { readonly put: T; readonly key: RowKey; readonly record: RecordOf[T] } }[TableName]
  | { readonly delete: TableName; readonly key: RowKey }

/** Rows that any context may write, because no key and no position depends on them. */
export type FreeTable = 'drafts' | 'reads' | 'settings'

/** Sealed rows. Reading never waits for a writer; every write is one transaction. */
export interface Store extends Lockable {
  get<T extends TableName>(table: T, key: RowKey): Promise<RecordOf[T] | undefined>
  list<T extends TableName>(table: T, range?: Range): Promise<readonly Row<T>[]>

  /**
   * The engine's write: all or nothing, durable when it resolves ('strict').
   * @throws StoreError 'store/fenced' when another context has become the writer, 'store/full', 'store/failed'
   */
  write(changes: readonly Change[]): Promise<void>
  /** Becomes the writer: whoever wrote before is fenced off from here on. */
  takeOver(): Promise<void>

  /** Any context: adds a row of `intents`, durable when it resolves. */
  append(intent: RecordOf['intents']): Promise<void>
  /** Any context. */
  writeFree<T extends FreeTable>(table: T, key: string, record: RecordOf[T]): Promise<void>

  /** Is there anything at all, and can it be opened? Decides between a first run and a problem (U-07). */
  condition(): Promise<StoreCondition>
  /** Makes the keys of a new store. @throws StoreError 'store/exists' when there is data already */
  create(): Promise<void>
}

export type StoreCondition = 'empty' | 'usable' | 'keys-missing' | 'data-missing' | 'newer-data' | 'refused' | 'locked'
