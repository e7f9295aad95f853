import type { Range, RowKey } from '#app/ports/store.ts'
import type { AnyTable } from './schema.ts'

export type RawRow = { readonly key: RowKey; readonly value: Uint8Array }
export type RawPut = { readonly put: AnyTable; readonly key: RowKey; readonly value: Uint8Array }
export type RawChange = RawPut | { readonly delete: AnyTable; readonly key: RowKey }

/** Rows of bytes: what the sealed store needs of a database. */
export interface Rows {
  get(table: AnyTable, key: RowKey): Promise<Uint8Array | undefined>
  range(table: AnyTable, range: Range): Promise<readonly RawRow[]>
  /**
   * One transaction, durable when it resolves.
   * @param fence the writer's number: refused when it is no longer the highest; undefined for rows that anybody may write
   * @throws StoreError 'store/fenced', 'store/full', 'store/failed'
   */
  write(changes: readonly RawChange[], fence: number | undefined): Promise<void>
  append(table: AnyTable, value: Uint8Array): Promise<void>
  /** Writes the row if there is none yet, in one transaction. @returns what is there from then on */
  addIfAbsent(table: AnyTable, key: RowKey, value: Uint8Array): Promise<Uint8Array>
  /** Raises the fence by one and returns it. */
  raiseFence(): Promise<number>
  /** Are there rows at all? @throws StoreError 'store/refused', 'store/newer' */
  probe(): Promise<'empty' | 'filled'>
}
