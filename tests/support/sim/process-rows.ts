import type { Range, RowKey } from '#app/ports/store.ts'
import type { RawChange, RawRow, Rows } from '#store/rows.ts'
import type { AnyTable } from '#store/schema.ts'

const never = new Promise<never>(() => {})

/**
 * The disk as one process sees it. The process may die at any write, before or after it took effect; from then on nothing
 * that it asks for is ever answered, while the disk lives on for the next one.
 */
export class ProcessRows implements Rows {
  readonly #disk: Rows
  readonly #plan: () => 'before' | 'after' | undefined
  readonly #onDeath: () => void
  dead = false

  constructor(disk: Rows, plan: () => 'before' | 'after' | undefined, onDeath: () => void) {
    this.#disk = disk
    this.#plan = plan
    this.#onDeath = onDeath
  }

  get(table: AnyTable, key: RowKey): Promise<Uint8Array | undefined> {
    return this.dead ? never : this.#disk.get(table, key)
  }

  range(table: AnyTable, range: Range): Promise<readonly RawRow[]> {
    return this.dead ? never : this.#disk.range(table, range)
  }

  write(changes: readonly RawChange[], fence: number | undefined): Promise<void> {
    return this.#atRisk(() => this.#disk.write(changes, fence))
  }

  append(table: AnyTable, value: Uint8Array): Promise<void> {
    return this.#atRisk(() => this.#disk.append(table, value))
  }

  addIfAbsent(table: AnyTable, key: RowKey, value: Uint8Array): Promise<Uint8Array> {
    return this.dead ? never : this.#disk.addIfAbsent(table, key, value)
  }

  raiseFence(): Promise<number> {
    return this.dead ? never : this.#disk.raiseFence()
  }

  probe(): Promise<'empty' | 'filled'> {
    return this.dead ? never : this.#disk.probe()
  }

  async #atRisk(write: () => Promise<void>): Promise<void> {
    if (this.dead) return never
    const crash = this.#plan()
    if (crash !== 'before') await write()
    if (crash === undefined) return
    this.dead = true
    this.#onDeath()
    return never
  }
}
