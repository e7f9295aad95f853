import type { TableName } from '#app/ports/records.ts'
import { StoreError } from '#core/errors.ts'
import { rewrapTableKey, unwrapTableKey, wrapNewTableKey } from './key-wrap.ts'
import type { RawPut, Rows } from './rows.ts'
import { type AnyTable, versions } from './schema.ts'
import type { StorageKey } from './storage-key.ts'

const tables = [...new Set(versions.flatMap((stores) => Object.keys(stores) as AnyTable[]))].filter(
  (table): table is TableName => table !== 'keys' && table !== 'fence',
)

/**
 * A key for each table, wrapped under the storage key (K-04): an app lock is turned on by wrapping a few keys anew. Opened
 * keys are kept until `forget`.
 */
export class TableKeys {
  readonly #rows: Rows
  readonly #storage: StorageKey
  readonly #opened = new Map<TableName, Promise<CryptoKey>>()

  constructor(rows: Rows, storage: StorageKey) {
    this.#rows = rows
    this.#storage = storage
  }

  of(table: TableName): Promise<CryptoKey> {
    let opening = this.#opened.get(table)
    if (opening === undefined) {
      opening = this.#unwrap(table)
      this.#opened.set(table, opening)
      opening.catch(() => {
        if (this.#opened.get(table) === opening) this.#opened.delete(table)
      })
    }
    return opening
  }

  /**
   * The key to seal a row with: made when there is none yet, since a version of the schema that came after this database
   * brings new tables. Contexts that do so at once agree on the one that was stored first.
   */
  async toSeal(table: TableName): Promise<CryptoKey> {
    if (!this.#opened.has(table)) await this.#makeIfMissing(table)
    return this.of(table)
  }

  /** The keys of a new store. */
  async create(storage: CryptoKey): Promise<void> {
    const rows = await Promise.all(tables.map(async (table) => keyRow(table, await wrapNewTableKey(table, storage))))
    await this.#rows.write(rows, undefined)
    this.#opened.clear()
  }

  /**
   * Every table's key under another storage key, to be written in one transaction. Each table gets its key before, so that
   * no other context adds one under the old storage key meanwhile.
   */
  async rewrapped(to: CryptoKey): Promise<readonly RawPut[]> {
    const from = await this.#storage.current()
    return Promise.all(
      tables.map(async (table) => {
        await this.#makeIfMissing(table)
        const wrapped = await this.#rows.get('keys', table)
        if (wrapped === undefined) throw new StoreError('store/keys-missing')
        return keyRow(table, await rewrapTableKey(table, wrapped, from, to))
      }),
    )
  }

  forget(): void {
    this.#opened.clear()
  }

  /** A table that has rows has lost its key: another one would only hide that (U-07). */
  async #makeIfMissing(table: TableName): Promise<void> {
    const rows = await this.#rows.range(table, { limit: 1 }) // before the key: a key is stored before its first row
    if (rows.length > 0 || (await this.#rows.get('keys', table)) !== undefined) return
    const made = await wrapNewTableKey(table, await this.#storage.current())
    await this.#rows.addIfAbsent('keys', table, made)
  }

  async #unwrap(table: TableName, again = true): Promise<CryptoKey> {
    const storage = await this.#storage.current()
    const wrapped = await this.#rows.get('keys', table)
    if (wrapped === undefined) throw new StoreError('store/keys-missing')
    try {
      return await unwrapTableKey(table, wrapped, storage)
    } catch (cause) {
      // Once more: between the two reads a lock may have been turned on or off, and both are others now.
      if (again) return this.#unwrap(table, false)
      throw new StoreError('store/broken', { cause })
    }
  }
}

function keyRow(table: TableName, value: Uint8Array): RawPut {
  return { put: 'keys', key: table, value }
}
