import type { RecordOf, TableName } from '#app/ports/records.ts'
import type { RowKey } from '#app/ports/store.ts'
import { concatBytes } from '#core/bytes/concat.ts'
import { toUtf8 } from '#core/bytes/utf8.ts'
import { openRandomNonce, sealRandomNonce } from '#core/crypto/aead.ts'
import { labels } from '#core/crypto/labels.ts'
import { StoreError } from '#core/errors.ts'
import { decodeCbor, encodeCbor } from '#core/wire/cbor.ts'

/** Row: 1B version, then AES-256-GCM (nonce, ciphertext, tag) of the record's CBOR, bound to label, table and row key. */
const ROW_VERSION = 1
const MAX_ROW_BYTES = 64 * 1024 * 1024

export async function sealRow<T extends TableName>(
  tableKey: CryptoKey,
  table: T,
  key: RowKey | undefined,
  record: RecordOf[T],
): Promise<Uint8Array> {
  const sealed = await sealRandomNonce(tableKey, encodeCbor(withoutUndefined(record)), boundTo(table, key))
  return concatBytes(Uint8Array.of(ROW_VERSION), sealed)
}

/** @throws StoreError 'store/newer' for a later layout, 'store/broken' when the row does not open */
export async function openRow<T extends TableName>(
  tableKey: CryptoKey,
  table: T,
  key: RowKey,
  value: Uint8Array,
): Promise<RecordOf[T]> {
  if (value[0] !== ROW_VERSION) throw new StoreError('store/newer')
  try {
    const aad = boundTo(table, table === 'intents' ? undefined : key)
    // Sealed by this origin under a key that only it holds: authentic, so its shape is what this code wrote.
    return decodeCbor(await openRandomNonce(tableKey, value.subarray(1), aad), MAX_ROW_BYTES) as RecordOf[T]
  } catch (cause) {
    throw new StoreError('store/broken', { cause })
  }
}

function boundTo(table: TableName, key: RowKey | undefined): Uint8Array {
  return concatBytes(labels.row, toUtf8(JSON.stringify([table, key ?? null])))
}

/** CBOR here has no 'undefined': an optional field that is unset is left out. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined)
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .map(([name, field]) => [name, withoutUndefined(field)]),
  )
}
