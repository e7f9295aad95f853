import type { RecordOf, TableName } from '#app/ports/records.ts'
import type { Change, RowKey } from '#app/ports/store.ts'

type Part = { readonly table: TableName; readonly fields: readonly string[] }
type Fields = Readonly<Record<string, unknown>>

/**
 * Fields of records that are written with each message, and that are large in a large channel and change with commits
 * alone: they lie in a row of their own, which is written when they change (C-02). Whoever reads gets the record whole. The
 * two rows are read apart: outside the channel's turn the one may be a moment newer than the other.
 */
const PARTS: Partial<Readonly<Record<TableName, Part>>> = {
  syncs: { table: 'rosters', fields: ['seats', 'accounts'] },
  channels: { table: 'looks', fields: ['profile', 'roles', 'names'] },
}

export function partOf(table: TableName): TableName | undefined {
  return PARTS[table]?.table
}

export function joined<T extends TableName>(record: RecordOf[T], part: object | undefined): RecordOf[T] {
  return part === undefined ? record : { ...record, ...part }
}

/**
 * What one writer knows of the parts that lie in its store: told by the very values, which are never changed in place. Who
 * reads gets those values again, so that writing them back writes nothing.
 */
export class Parts {
  readonly #known = new Map<string, object>()
  readonly #writes = new Map<string, number>()
  #forgotten = 0

  /** Another context may have written, or the app was locked: what is under way comes back to nothing either (LCK7). */
  forget(): void {
    this.#forgotten++
    this.#known.clear()
  }

  /** `writes`: how many there were; what was read while it rose is not to be trusted to be of one moment. */
  at(table: TableName, key: RowKey): { readonly writes: number; readonly known: object | undefined } {
    const name = nameOf(table, key)
    return { writes: this.#writes.get(name) ?? 0, known: this.#known.get(name) }
  }

  noteRead(table: TableName, key: RowKey, part: object): void {
    this.#known.set(nameOf(table, key), part)
  }

  /** @returns what is to be written, and what to call once it is */
  split(changes: readonly Change[]): { readonly changes: readonly Change[]; readonly done: () => void } {
    const written: [string, object][] = []
    const forgotten = this.#forgotten
    const split = changes.flatMap((change): readonly Change[] => {
      const table = 'put' in change ? change.put : change.delete
      const part = PARTS[table]
      if (part === undefined) return [change]
      const name = nameOf(table, change.key)
      this.#writes.set(name, (this.#writes.get(name) ?? 0) + 1)
      const known = this.#known.get(name)
      if (!('put' in change)) {
        this.#known.delete(name)
        return [change, { delete: part.table, key: change.key }]
      }
      const [rest, more] = inTwo(change.record, part)
      const main = { put: change.put, key: change.key, record: rest } as Change
      if (known !== undefined && part.fields.every((field) => (known as Fields)[field] === more[field])) return [main]
      this.#known.delete(name) // until it is on the disk
      written.push([name, more])
      return [main, { put: part.table, key: change.key, record: more } as Change]
    })
    const done = (): void => {
      for (const [name, more] of written) {
        if (forgotten === this.#forgotten) this.#known.set(name, more)
        this.#writes.set(name, (this.#writes.get(name) ?? 0) + 1)
      }
    }
    return { changes: split, done }
  }
}

function inTwo(record: object, { fields }: Part): readonly [Fields, Fields] {
  const entries = Object.entries(record)
  const isPart = ([field]: readonly [string, unknown]): boolean => fields.includes(field)
  return [
    Object.fromEntries(entries.filter((entry) => !isPart(entry))),
    Object.fromEntries(entries.filter((entry) => isPart(entry))),
  ]
}

function nameOf(table: TableName, key: RowKey): string {
  return JSON.stringify([table, key])
}
