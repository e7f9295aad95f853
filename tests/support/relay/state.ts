import type { Database } from 'sql.js'
import { MemorySql } from './sql.ts'

/** What outlives an object's instance: its database and its alarm. */
export type Disk = { readonly db: Database; alarmMs: number | undefined }

export class Dead extends Error {}

export type StateHooks = {
  /** Around each write that reaches the disk as one: a transaction, or a statement outside of one. */
  readonly write: (run: () => void) => void
  readonly background: (promise: Promise<unknown>) => void
}

/** The part of DurableObjectState that the relay's objects use. After `kill` nothing that is left running can touch the disk. */
export class MemoryState {
  readonly #disk: Disk
  readonly #hooks: StateHooks
  readonly #sql: MemorySql
  #dead = false
  #depth = 0
  readonly id: { toString(): string }
  /** While it is there, what this object is asked waits. */
  blocked: Promise<void> | undefined

  constructor(id: string, disk: Disk, hooks: StateHooks) {
    this.id = { toString: () => id }
    this.#disk = disk
    this.#hooks = hooks
    this.#sql = new MemorySql(
      disk.db,
      () => this.#check(),
      (run) => (this.#depth > 0 ? run() : this.#hooks.write(run)),
    )
  }

  readonly storage = {
    sql: { exec: (query: string, ...bindings: unknown[]) => this.#sql.exec(query, ...bindings) },
    transactionSync: <T>(run: () => T): T => this.#transaction(run),
    sync: async (): Promise<void> => this.#check(),
    getAlarm: async (): Promise<number | null> => this.#disk.alarmMs ?? null,
    setAlarm: (atMs: number): Promise<void> => this.#setAlarm(atMs),
    deleteAlarm: (): Promise<void> => this.#setAlarm(undefined),
  }

  blockConcurrencyWhile(run: () => Promise<void>): Promise<void> {
    const before = this.blocked
    const blocked = (before === undefined ? run() : before.then(run)).finally(() => {
      if (this.blocked === blocked) this.blocked = undefined
    })
    this.blocked = blocked
    return blocked
  }

  waitUntil(promise: Promise<unknown>): void {
    this.#hooks.background(promise)
  }

  kill(): void {
    if (this.#dead) return
    this.#dead = true
    this.#sql.close()
  }

  #check(): void {
    if (this.#dead) throw new Dead('this instance is gone')
  }

  /** A crash here is thrown at once: whoever does not wait for the promise must not go on either. */
  #setAlarm(atMs: number | undefined): Promise<void> {
    this.#check()
    const set = (): void => {
      this.#disk.alarmMs = atMs
    }
    if (this.#depth > 0) set()
    else this.#hooks.write(set)
    return Promise.resolve()
  }

  #transaction<T>(run: () => T): T {
    this.#check()
    if (this.#depth > 0) throw new Error('nested transaction')
    let result: { readonly value: T } | undefined
    this.#hooks.write(() => {
      const { alarmMs } = this.#disk
      this.#disk.db.run('BEGIN')
      this.#depth++
      try {
        result = { value: run() }
        this.#disk.db.run('COMMIT')
      } catch (error) {
        this.#disk.db.run('ROLLBACK')
        this.#disk.alarmMs = alarmMs
        throw error
      } finally {
        this.#depth--
      }
    })
    if (result === undefined) throw new Dead('the write did not happen')
    return result.value
  }
}
