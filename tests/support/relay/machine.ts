import type { Namespace, ObjectId, Remote } from '../../../worker/env.ts'
import { newDatabase } from './sql.ts'
import { Dead, type Disk, MemoryState } from './state.ts'

type Instance = { readonly alarm?: () => void | Promise<void> }
export type ObjectClass = new (ctx: DurableObjectState, env: never) => Instance
type Live = { readonly object: Instance; readonly state: MemoryState }

/** Should the relay crash at this write, before or after it is on the disk? */
export type CrashPlan = (writes: number) => 'before' | 'after' | undefined

/** Hosts Durable Objects in this process: calls between them are asynchronous, copy their values, and fail in a crash. */
export class Machine {
  readonly #classes: Readonly<Record<string, ObjectClass>>
  readonly #disks = new Map<string, Disk>()
  readonly #live = new Map<string, Live>()
  readonly #background = new Set<Promise<unknown>>()
  #writes = 0
  #life = 0
  env: unknown
  crashPlan: CrashPlan = () => undefined
  onCrash: () => void = () => {}

  constructor(classes: Readonly<Record<string, ObjectClass>>) {
    this.#classes = classes
  }

  namespace<T>(name: string): Namespace<T> {
    const id = (text: string): ObjectId => ({ toString: () => text })
    return {
      idFromName: (object) => id(`${name}:${object}`),
      idFromString: id,
      newUniqueId: () => id(`${name}:${crypto.randomUUID()}`),
      get: (object) => this.#remote<T>(object.toString()),
    }
  }

  /** Drops every instance; what was on the disks stays. Whatever was under way fails. */
  crash(): void {
    this.#life++
    for (const { state } of this.#live.values()) state.kill()
    this.#live.clear()
    this.#background.clear()
    this.onCrash()
  }

  /** What lies on the disks of these objects now. @returns the way to put that copy back, as somebody who restores a backup does */
  copy(name: string): () => void {
    const held = [...this.#disks]
      .filter(([id]) => id.startsWith(`${name}:`))
      .map(([id, { db, alarmMs }]) => ({ id, bytes: db.export(), alarmMs }))
    return () => {
      this.crash()
      for (const { id, bytes, alarmMs } of held) this.#disks.set(id, { db: newDatabase(bytes), alarmMs })
    }
  }

  get nextAlarmMs(): number | undefined {
    let next: number | undefined
    for (const { alarmMs } of this.#disks.values()) {
      if (alarmMs !== undefined && (next === undefined || alarmMs < next)) next = alarmMs
    }
    return next
  }

  /** Runs what is due, in its order. One that fails comes again two seconds later, as in workerd. */
  async runAlarms(nowMs: number): Promise<number> {
    let ran = 0
    for (;;) {
      const due = [...this.#disks]
        .filter(([, { alarmMs }]) => alarmMs !== undefined && alarmMs <= nowMs)
        .sort(([a, { alarmMs: x = 0 }], [b, { alarmMs: y = 0 }]) => x - y || (a < b ? -1 : 1))
      const [first] = due
      if (first === undefined) return ran
      const [id, disk] = first
      disk.alarmMs = undefined
      try {
        const { object, state } = this.#instance(id)
        while (state.blocked !== undefined) await state.blocked
        await object.alarm?.()
      } catch {
        disk.alarmMs ??= nowMs + 2_000
      }
      ran++
    }
  }

  /** Until nothing runs any more behind the answers. */
  async idle(): Promise<void> {
    while (this.#background.size > 0) await Promise.allSettled([...this.#background])
  }

  get disks(): ReadonlyMap<string, Disk> {
    return this.#disks
  }

  close(): void {
    this.crash()
    for (const { db } of this.#disks.values()) db.close()
    this.#disks.clear()
  }

  #remote<T>(id: string): Remote<T> {
    const life = this.#life
    const call = async (method: string, args: readonly unknown[]): Promise<unknown> => {
      const copy = structuredClone(args)
      await undefined // never in the caller's turn
      if (life !== this.#life) throw new Dead('the relay crashed')
      const { object: instance, state } = this.#instance(id)
      while (state.blocked !== undefined) await state.blocked
      if (life !== this.#life) throw new Dead('the relay crashed')
      const object = instance as Record<string, unknown>
      const run = object[method]
      if (typeof run !== 'function') throw new Error(`no method ${method}`)
      const result: unknown = await run.apply(object, copy)
      if (life !== this.#life) throw new Dead('the relay crashed')
      return structuredClone(result)
    }
    return new Proxy({} as Remote<T>, {
      get: (_, method) =>
        typeof method === 'string' && method !== 'then' ? (...args: unknown[]) => call(method, args) : undefined,
    })
  }

  #instance(id: string): Live {
    let live = this.#live.get(id)
    if (live === undefined) {
      const type = this.#classes[id.slice(0, id.indexOf(':'))]
      if (type === undefined) throw new Error('no such class')
      const state = new MemoryState(id, this.#disk(id), {
        write: (run) => this.#write(run),
        background: (promise) => this.#keep(promise),
      })
      live = { object: new type(state as unknown as DurableObjectState, this.env as never), state }
      this.#live.set(id, live)
    }
    return live
  }

  #disk(id: string): Disk {
    let disk = this.#disks.get(id)
    if (disk === undefined) {
      disk = { db: newDatabase(), alarmMs: undefined }
      this.#disks.set(id, disk)
    }
    return disk
  }

  #write(run: () => void): void {
    const plan = this.crashPlan(++this.#writes)
    if (plan === 'before') this.#die()
    run()
    if (plan === 'after') this.#die()
  }

  #die(): never {
    this.crash()
    throw new Dead('crashed at a write')
  }

  #keep(promise: Promise<unknown>): void {
    const kept = promise.catch((error: unknown) => {
      if (!(error instanceof Dead)) throw error
    })
    this.#background.add(kept)
    void kept.finally(() => this.#background.delete(kept)).catch(() => undefined)
  }
}
