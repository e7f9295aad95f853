import type { KeyHandles } from '#app/ports/keys.ts'
import type { Range, RowKey } from '#app/ports/store.ts'
import { StoreError } from '#core/errors.ts'
import type { RawChange, RawRow, Rows } from '#store/rows.ts'
import type { AnyTable } from '#store/schema.ts'

/** The in-memory twin of IdbRows, held to the same contract. */
export class MemoryRows implements Rows {
  readonly #tables = new Map<AnyTable, Map<string, RawRow>>()
  #fence = 0
  #nextIntent = 1
  /** Called with every change that took effect. */
  onWrite: (changes: readonly RawChange[]) => void = () => {}

  async get(table: AnyTable, key: RowKey): Promise<Uint8Array | undefined> {
    return this.#table(table).get(JSON.stringify(key))?.value.slice()
  }

  async range(table: AnyTable, { of, after, before, newestFirst, limit }: Range): Promise<readonly RawRow[]> {
    const numberOf = (key: RowKey): unknown => (Array.isArray(key) ? key[1] : key)
    const rows = [...this.#table(table).values()]
      .filter(({ key }) => {
        if (of !== undefined && (!Array.isArray(key) || key[0] !== of)) return false
        const number = numberOf(key)
        if (after !== undefined && !(typeof number === 'number' && number > after)) return false
        return !(before !== undefined && !(typeof number === 'number' && number < before))
      })
      .sort((a, b) => compare(a.key, b.key))
    if (newestFirst) rows.reverse()
    return rows.slice(0, limit)
  }

  async write(changes: readonly RawChange[], fence: number | undefined): Promise<void> {
    if (fence !== undefined && fence !== this.#fence) throw new StoreError('store/fenced')
    for (const change of changes) {
      if ('put' in change) {
        this.#table(change.put).set(JSON.stringify(change.key), { key: change.key, value: change.value.slice() })
      } else this.#table(change.delete).delete(JSON.stringify(change.key))
    }
    this.onWrite(changes)
  }

  async append(table: AnyTable, value: Uint8Array): Promise<void> {
    const key = this.#nextIntent++
    this.#table(table).set(JSON.stringify(key), { key, value: value.slice() })
  }

  async addIfAbsent(table: AnyTable, key: RowKey, value: Uint8Array): Promise<Uint8Array> {
    const there = this.#table(table).get(JSON.stringify(key))
    if (there !== undefined) return there.value.slice()
    this.#table(table).set(JSON.stringify(key), { key, value: value.slice() })
    return value
  }

  async raiseFence(): Promise<number> {
    return ++this.#fence
  }

  async probe(): Promise<'empty' | 'filled'> {
    return this.#table('keys').size === 0 ? 'empty' : 'filled'
  }

  /** Of everything that is stored. @returns the way to put that copy back, as somebody who restores a profile does (L-04) */
  copy(): () => void {
    const held = [...this.#tables].map(([table, rows]) => [table, new Map(rows)] as const)
    return () => {
      this.#tables.clear()
      for (const [table, rows] of held) this.#tables.set(table, new Map(rows))
    }
  }

  #table(table: AnyTable): Map<string, RawRow> {
    const rows = this.#tables.get(table) ?? new Map<string, RawRow>()
    this.#tables.set(table, rows)
    return rows
  }
}

function compare(a: RowKey, b: RowKey): number {
  const [left, right] = [[a].flat(), [b].flat()] as [(string | number)[], (string | number)[]]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x, y] = [left[i] ?? 0, right[i] ?? 0]
    if (x !== y) return x < y ? -1 : 1
  }
  return left.length - right.length
}

export function makeMemoryHandles(): KeyHandles {
  const handles = new Map<string, CryptoKey>()
  return {
    load: async (name) => handles.get(name),
    save: async (name, key) => {
      handles.set(name, key)
    },
    remove: async (name) => {
      handles.delete(name)
    },
    names: async () => [...handles.keys()],
  }
}
