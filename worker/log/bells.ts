import { toBase64url } from '#core/bytes/base64url.ts'
import { encodePush } from '#core/wire/message.ts'
import { openDrop } from '../drops.ts'
import type { Env } from '../env.ts'
import { dropKey } from '../secrets.ts'
import type { Watcher, Watchers } from './watchers.ts'

/** Tells watchers that the log went on. What comes during a round goes out with the next one. */
export class Bells {
  readonly #env: Env
  readonly #watchers: () => Watchers
  #asked = false
  #running = false

  constructor(env: Env, watchers: () => Watchers) {
    this.#env = env
    this.#watchers = watchers
  }

  /** @returns whether all were told */
  async ring(): Promise<boolean> {
    this.#asked = true
    if (this.#running) return false
    this.#running = true
    let told = true
    try {
      while (this.#asked) {
        this.#asked = false
        told = await this.tell(this.#watchers().all())
      }
    } finally {
      this.#running = false
    }
    return told
  }

  /** @returns whether all of these were told */
  async tell(watchers: readonly Watcher[]): Promise<boolean> {
    const outcomes = await Promise.all(watchers.map((one) => this.#tell(one)))
    return outcomes.every((reached) => reached)
  }

  async #tell({ n, drop }: Watcher): Promise<boolean> {
    const opened = openDrop(dropKey(this.#env), drop)
    if (opened === undefined) {
      this.#watchers().delete(n) // the realm has another key now
      return true
    }
    try {
      const mailbox = this.#env.MAILBOX.get(this.#env.MAILBOX.idFromName(toBase64url(opened.mailbox)))
      const push = encodePush('wake', { label: opened.label, carried: [] })
      // Who is connected hears it now, and asks anyway when it connects: only the absent need a stored label.
      const outcome = await mailbox.wake(opened.label, push, false)
      if (outcome === 'unknown') this.#watchers().delete(n) // K-07: its mailbox was shut
      return true
    } catch {
      return false // the mailbox could not be reached: the alarm tries again
    }
  }
}
