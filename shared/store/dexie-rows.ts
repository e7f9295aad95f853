import Dexie, { type Collection, type IndexableType, type Table } from 'dexie'
import type { Range, RowKey } from '#app/ports/store.ts'
import { StoreError } from '#core/errors.ts'
import type { RawChange, RawRow, Rows } from './rows.ts'
import { type AnyTable, DATABASE_NAME, versions } from './schema.ts'

const FENCE_KEY = 'writer'
const LOWEST = Number.NEGATIVE_INFINITY
const HIGHEST = Number.POSITIVE_INFINITY

/** IndexedDB through Dexie; durability 'strict', since sends and acknowledgements depend on what was written (I-04, I-05). */
export class DexieRows implements Rows {
  readonly #db: Dexie

  constructor(name = DATABASE_NAME) {
    this.#db = new Dexie(name, { chromeTransactionDurability: 'strict' })
    versions.forEach((stores, index) => {
      this.#db.version(index + 1).stores(stores as Record<string, string>)
    })
  }

  get(table: AnyTable, key: RowKey): Promise<Uint8Array | undefined> {
    return guard(async () => (await this.#table(table).get(key as IndexableType)) as Uint8Array | undefined)
  }

  range(table: AnyTable, range: Range): Promise<readonly RawRow[]> {
    return guard(async () => {
      const rows: RawRow[] = []
      let selected: Collection<Uint8Array, IndexableType> = this.#select(table, range)
      if (range.newestFirst) selected = selected.reverse()
      if (range.limit !== undefined) selected = selected.limit(range.limit)
      await selected.each((value, cursor) => {
        rows.push({ key: cursor.primaryKey as RowKey, value })
      })
      return rows
    })
  }

  write(changes: readonly RawChange[], fence: number | undefined): Promise<void> {
    const tables = [...new Set(changes.map((change) => ('put' in change ? change.put : change.delete)))]
    return guard(() =>
      this.#db.transaction('rw', fence === undefined ? tables : [...tables, 'fence'], async () => {
        if (fence !== undefined && (await this.#fence()) !== fence) throw new StoreError('store/fenced')
        await Promise.all(
          changes.map((change) =>
            'put' in change
              ? this.#table(change.put).put(change.value, change.key as IndexableType)
              : this.#table(change.delete).delete(change.key as IndexableType),
          ),
        )
      }),
    )
  }

  append(table: AnyTable, value: Uint8Array): Promise<void> {
    return guard(async () => {
      await this.#table(table).add(value)
    })
  }

  raiseFence(): Promise<number> {
    return guard(() =>
      this.#db.transaction('rw', ['fence'], async () => {
        const next = ((await this.#fence()) ?? 0) + 1
        await this.#db.table('fence').put(next, FENCE_KEY)
        return next
      }),
    )
  }

  probe(): Promise<'empty' | 'filled'> {
    return guard(async () => ((await this.#db.table('keys').count()) === 0 ? 'empty' : 'filled'))
  }

  async #fence(): Promise<number | undefined> {
    return (await this.#db.table('fence').get(FENCE_KEY)) as number | undefined
  }

  #table(table: AnyTable): Table<Uint8Array, IndexableType> {
    return this.#db.table<Uint8Array, IndexableType>(table)
  }

  #select(table: AnyTable, { of, after, before }: Range): Collection<Uint8Array, IndexableType> {
    const rows = this.#table(table)
    if (of === undefined && after === undefined && before === undefined) return rows.toCollection()
    // Keys of one text sort between [text, -∞] and [text, []]: an array sorts after every number and text (IndexedDB 3.1.2).
    const lower = of === undefined ? (after ?? LOWEST) : [of, after ?? LOWEST]
    const upper = of === undefined ? (before ?? HIGHEST) : [of, before ?? []]
    return rows.where(':id').between(lower, upper, after === undefined, before === undefined)
  }
}

/** Every fault of the database as one of ours, by what the caller can do about it (U-07). */
async function guard<T>(run: () => PromiseLike<T>): Promise<T> {
  try {
    return await run()
  } catch (cause) {
    if (cause instanceof StoreError) throw cause
    throw new StoreError(codeOf(cause), { cause })
  }
}

function codeOf(cause: unknown): string {
  const names = [cause, (cause as { inner?: unknown }).inner].map((error) => (error as Error | undefined)?.name ?? '')
  if (names.includes('QuotaExceededError')) return 'store/full'
  if (names.includes('VersionError')) return 'store/newer'
  if (
    names.some((name) => ['MissingAPIError', 'SecurityError', 'InvalidStateError', 'OpenFailedError'].includes(name))
  ) {
    return 'store/refused'
  }
  return 'store/failed'
}
