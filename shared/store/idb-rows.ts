import { type IDBPDatabase, openDB } from 'idb'
import type { Range, RowKey } from '#app/ports/store.ts'
import { StoreError } from '#core/errors.ts'
import type { RawChange, RawRow, Rows } from './rows.ts'
import { type AnyTable, DATABASE_NAME, versions } from './schema.ts'

const FENCE_KEY = 'writer'
const LOWEST = Number.NEGATIVE_INFINITY
const HIGHEST = Number.POSITIVE_INFINITY

/** IndexedDB; durability 'strict', since sends and acknowledgements depend on what was written (I-04, I-05). */
export class IdbRows implements Rows {
  readonly #name: string
  #opening: Promise<IDBPDatabase> | undefined

  constructor(name = DATABASE_NAME) {
    this.#name = name
  }

  get(table: AnyTable, key: RowKey): Promise<Uint8Array | undefined> {
    return this.#guard((db) => db.get(table, key as IDBValidKey))
  }

  range(table: AnyTable, range: Range): Promise<readonly RawRow[]> {
    return this.#guard(async (db) => {
      const store = db.transaction(table).store
      const bounds = boundsOf(range)
      if (!range.newestFirst) {
        const [keys, values] = await Promise.all([
          store.getAllKeys(bounds, range.limit),
          store.getAll(bounds, range.limit),
        ])
        return keys.map((key, i) => ({ key: key as RowKey, value: values[i] as Uint8Array }))
      }
      const rows: RawRow[] = []
      const most = range.limit ?? HIGHEST
      for (
        let cursor = await store.openCursor(bounds, 'prev');
        cursor && rows.length < most;
        cursor = await cursor.continue()
      ) {
        rows.push({ key: cursor.primaryKey as RowKey, value: cursor.value as Uint8Array })
      }
      return rows
    })
  }

  write(changes: readonly RawChange[], fence: number | undefined): Promise<void> {
    return this.#guard(async (db) => {
      const tables = new Set<string>(changes.map((change) => ('put' in change ? change.put : change.delete)))
      if (fence !== undefined) tables.add('fence')
      const tx = db.transaction([...tables], 'readwrite', { durability: 'strict' })
      const held = fence === undefined ? undefined : await tx.objectStore('fence').get(FENCE_KEY)
      if (held !== fence) {
        tx.abort()
        await tx.done.catch(() => undefined)
        throw new StoreError('store/fenced')
      }
      const asked = changes.map((change) =>
        'put' in change
          ? tx.objectStore(change.put).put(change.value, change.key as IDBValidKey)
          : tx.objectStore(change.delete).delete(change.key as IDBValidKey),
      )
      await Promise.all([...asked, tx.done])
    })
  }

  append(table: AnyTable, value: Uint8Array): Promise<void> {
    return this.#guard(async (db) => {
      const tx = db.transaction(table, 'readwrite', { durability: 'strict' })
      await Promise.all([tx.store.add(value), tx.done])
    })
  }

  addIfAbsent(table: AnyTable, key: RowKey, value: Uint8Array): Promise<Uint8Array> {
    return this.#guard(async (db) => {
      const tx = db.transaction(table, 'readwrite', { durability: 'strict' })
      const there: Uint8Array | undefined = await tx.store.get(key as IDBValidKey)
      if (there === undefined) await tx.store.add(value, key as IDBValidKey)
      await tx.done
      return there ?? value
    })
  }

  raiseFence(): Promise<number> {
    return this.#guard(async (db) => {
      const tx = db.transaction('fence', 'readwrite', { durability: 'strict' })
      const next = ((await tx.store.get(FENCE_KEY)) ?? 0) + 1
      await Promise.all([tx.store.put(next, FENCE_KEY), tx.done])
      return next
    })
  }

  probe(): Promise<'empty' | 'filled'> {
    return this.#guard(async (db) => ((await db.count('keys')) === 0 ? 'empty' : 'filled'))
  }

  #open(): Promise<IDBPDatabase> {
    this.#opening ??= openDB(this.#name, versions.length, {
      upgrade: (db, before) => {
        for (const stores of versions.slice(before)) {
          for (const [table, kind] of Object.entries(stores))
            db.createObjectStore(table, { autoIncrement: kind === '++' })
        }
      },
      // A later version of Stave wants to upgrade: let it, and open anew when there is something to read.
      blocking: (_current, _wanted, event) => {
        ;(event.target as IDBDatabase).close()
        this.#opening = undefined
      },
      terminated: () => {
        this.#opening = undefined
      },
    })
    this.#opening.catch(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Every fault of the database as one of ours, by what the caller can do about it (U-07). */
  async #guard<T>(run: (db: IDBPDatabase) => Promise<T>): Promise<T> {
    try {
      return await run(await this.#open())
    } catch (cause) {
      if (cause instanceof StoreError) throw cause
      throw new StoreError(codeOf(cause), { cause })
    }
  }
}

/** Keys of one text lie between [text, number] and [text, []]: an array sorts after every number and text (IndexedDB 3.0, 2.4). */
function boundsOf({ of, after, before }: Range): IDBKeyRange | undefined {
  if (of === undefined && after === undefined && before === undefined) return undefined
  const lower = of === undefined ? (after ?? LOWEST) : [of, after ?? LOWEST]
  const upper = of === undefined ? (before ?? HIGHEST) : [of, before ?? []]
  return IDBKeyRange.bound(lower, upper, after !== undefined, before !== undefined)
}

function codeOf(cause: unknown): string {
  const name = cause instanceof Error || cause instanceof DOMException ? cause.name : ''
  if (name === 'QuotaExceededError') return 'store/full'
  if (name === 'VersionError') return 'store/newer'
  // No IndexedDB at all, or a browser that forbids it to this page.
  if (['ReferenceError', 'TypeError', 'SecurityError', 'InvalidStateError', 'UnknownError'].includes(name))
    return 'store/refused'
  return 'store/failed'
}
