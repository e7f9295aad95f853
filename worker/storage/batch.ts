import { yieldToOthers } from '../yield.ts'

/** `run` does the work and returns how to tell of it, once it is committed. */
type Job = { readonly run: () => () => void; readonly fail: (cause: unknown) => void }

/**
 * What arrives together is one transaction: a sync of the disk costs more than all the rest of a post. Jobs run in the
 * order in which they came. One that throws fails alone, and leaves nothing behind.
 */
export class Batch {
  readonly #storage: DurableObjectStorage
  readonly #rolledBack: () => void
  #jobs: Job[] = []

  /** @param rolledBack is told that what jobs left in memory is not what the disk has */
  constructor(storage: DurableObjectStorage, rolledBack: () => void) {
    this.#storage = storage
    this.#rolledBack = rolledBack
  }

  run<T>(job: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = () => {
        const result = job()
        return () => resolve(result)
      }
      this.#jobs.push({ run, fail: reject })
      if (this.#jobs.length === 1) void this.#flush()
    })
  }

  async #flush(): Promise<void> {
    await yieldToOthers()
    const jobs = this.#jobs
    this.#jobs = []
    if (this.#commit(jobs) === undefined) return
    for (const job of jobs) {
      const failure = this.#commit([job])
      if (failure !== undefined) job.fail(failure.cause)
    }
  }

  #commit(jobs: readonly Job[]): { readonly cause: unknown } | undefined {
    let tell: (() => void)[] = []
    try {
      this.#storage.transactionSync(() => {
        tell = jobs.map((job) => job.run())
      })
    } catch (cause) {
      this.#rolledBack()
      return { cause }
    }
    for (const done of tell) done()
    return undefined
  }
}
