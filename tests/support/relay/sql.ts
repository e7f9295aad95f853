import initSqlJs, { type Database, type SqlValue, type Statement } from 'sql.js'

const { Database: InMemory } = await initSqlJs()

const open = new Set<Database>()

/** @param copy of one, by `export` */
export function newDatabase(copy?: Uint8Array): Database {
  const database = new InMemory(copy)
  open.add(database)
  return database
}

/** All files of a process share the memory of one engine: what the worlds of a file have left open goes with the file. */
export function closeDatabases(): void {
  for (const database of open) database.close()
  open.clear()
}

type Row = Record<string, ArrayBuffer | string | number | null>

/** `storage.sql` of a Durable Object over sql.js: blobs come out as ArrayBuffer, as they do in workerd. */
export class MemorySql {
  readonly #db: Database
  readonly #statements = new Map<string, Statement>()
  /** Called before anything is executed: throws when the object is dead. */
  readonly #check: () => void
  readonly #write: (run: () => void) => void

  constructor(db: Database, check: () => void, write: (run: () => void) => void) {
    this.#db = db
    this.#check = check
    this.#write = write
  }

  exec(query: string, ...bindings: unknown[]): MemoryCursor {
    this.#check()
    let rows: Row[] = []
    const run = (): void => {
      rows = this.#run(query, bindings as SqlValue[])
    }
    if (/^\s*(insert|update|delete|create|drop)/i.test(query)) this.#write(run)
    else run()
    return new MemoryCursor(rows, this.#db.getRowsModified())
  }

  close(): void {
    for (const statement of this.#statements.values()) statement.free()
    this.#statements.clear()
  }

  #run(query: string, bindings: SqlValue[]): Row[] {
    if (bindings.length === 0 && /;\s*\S/.test(query)) {
      this.#db.exec(query)
      return []
    }
    let statement = this.#statements.get(query)
    if (statement === undefined) {
      statement = this.#db.prepare(query)
      this.#statements.set(query, statement)
    }
    try {
      statement.bind(bindings)
      const rows: Row[] = []
      while (statement.step()) rows.push(asStored(statement.getAsObject()))
      return rows
    } finally {
      statement.reset()
    }
  }
}

function asStored(row: Record<string, SqlValue>): Row {
  const out: Row = {}
  for (const [name, value] of Object.entries(row))
    out[name] = value instanceof Uint8Array ? value.slice().buffer : value
  return out
}

class MemoryCursor implements Iterable<Row> {
  readonly #rows: Row[]
  readonly rowsWritten: number

  constructor(rows: Row[], rowsWritten: number) {
    this.#rows = rows
    this.rowsWritten = rowsWritten
  }

  toArray(): Row[] {
    return this.#rows
  }

  one(): Row {
    const [row] = this.#rows
    if (row === undefined || this.#rows.length > 1) throw new Error('one() found another number of rows')
    return row
  }

  [Symbol.iterator](): IterableIterator<Row> {
    return this.#rows[Symbol.iterator]()
  }
}
