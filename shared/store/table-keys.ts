import type { KeyHandles } from '#app/ports/keys.ts'
import type { TableName } from '#app/ports/records.ts'
import { toUtf8 } from '#core/bytes/utf8.ts'
import { StoreError } from '#core/errors.ts'
import type { RawPut, Rows } from './rows.ts'
import { versions } from './schema.ts'

const NONCE_BYTES = 12
const AES = { name: 'AES-GCM', length: 256 } as const
const tables = [...new Set(versions.flatMap((stores) => Object.keys(stores)))].filter(
  (table) => table !== 'keys' && table !== 'fence',
)

/**
 * A key for each table, wrapped under the storage key, which is a handle that can't be exported (K-04). An app lock can
 * so be turned on by wrapping a few keys anew.
 */
export class TableKeys {
  readonly #rows: Rows
  readonly #handles: KeyHandles
  readonly #opened = new Map<string, Promise<CryptoKey>>()

  constructor(rows: Rows, handles: KeyHandles) {
    this.#rows = rows
    this.#handles = handles
  }

  of(table: TableName): Promise<CryptoKey> {
    let opening = this.#opened.get(table)
    if (opening === undefined) {
      opening = this.#unwrap(table)
      this.#opened.set(table, opening)
      opening.catch(() => this.#opened.delete(table))
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

  async create(): Promise<void> {
    const storage = await crypto.subtle.generateKey(AES, false, ['wrapKey', 'unwrapKey'])
    await this.#handles.save('storage', storage)
    await this.#rows.write(await Promise.all(tables.map((table) => this.#wrapNew(table, storage))), undefined)
    this.#opened.clear()
  }

  /** A table that has rows has lost its key: another one would only hide that (U-07). */
  async #makeIfMissing(table: TableName): Promise<void> {
    const rows = await this.#rows.range(table, { limit: 1 }) // before the key: a key is stored before its first row
    const [storage, value] = await Promise.all([this.#handles.load('storage'), this.#rows.get('keys', table)])
    if (value !== undefined || storage === undefined || rows.length > 0) return
    const made = await this.#wrapNew(table, storage)
    await this.#rows.addIfAbsent('keys', table, made.value)
  }

  async #wrapNew(table: string, storage: CryptoKey): Promise<RawPut> {
    const key = await crypto.subtle.generateKey(AES, true, ['encrypt', 'decrypt'])
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
    const wrapped = await crypto.subtle.wrapKey('raw', key, storage, parameters(table, nonce))
    const value = new Uint8Array(NONCE_BYTES + wrapped.byteLength)
    value.set(nonce)
    value.set(new Uint8Array(wrapped), NONCE_BYTES)
    return { put: 'keys', key: table, value }
  }

  async #unwrap(table: TableName): Promise<CryptoKey> {
    const [storage, value] = await Promise.all([this.#handles.load('storage'), this.#rows.get('keys', table)])
    if (storage === undefined || value === undefined) throw new StoreError('store/keys-missing')
    const nonce = value.slice(0, NONCE_BYTES)
    try {
      return await crypto.subtle.unwrapKey(
        'raw',
        value.slice(NONCE_BYTES),
        storage,
        parameters(table, nonce),
        AES,
        false,
        ['encrypt', 'decrypt'],
      )
    } catch (cause) {
      throw new StoreError('store/broken', { cause })
    }
  }
}

function parameters(table: string, iv: Uint8Array<ArrayBuffer>): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: toUtf8(`stave/1/table-key ${table}`) as Uint8Array<ArrayBuffer> }
}
