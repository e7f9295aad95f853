import { WireError } from '#core/errors.ts'

/** What SQLite hands out, as the type that it was stored as. A row that is not of its schema is a broken database. */
export function blob<T extends Uint8Array = Uint8Array>(value: unknown): T {
  if (value instanceof ArrayBuffer) return new Uint8Array(value) as T
  throw new WireError('row/blob')
}

export function blobOrNone<T extends Uint8Array = Uint8Array>(value: unknown): T | undefined {
  return value === null ? undefined : blob<T>(value)
}

export function int(value: unknown): number {
  if (typeof value === 'number') return value
  throw new WireError('row/int')
}

export function intOrNone(value: unknown): number | undefined {
  return value === null ? undefined : int(value)
}

/** Makes an object's tables when it is first given something to keep: an address that nobody opened stays empty. */
export function hasTables(sql: SqlStorage, table: string): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table).toArray().length > 0
}
