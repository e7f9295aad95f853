import { toBase64url } from '#core/bytes/base64url.ts'
import { openDrop } from '../drops.ts'
import type { Env } from '../env.ts'
import { WAKE_BATCH } from '../rules/wakes.ts'
import { dropKey } from '../secrets.ts'
import type { Outbox, Welcome } from './outbox.ts'

/** Brings welcomes to their mailboxes; a row goes only once the mailbox has its copy on disk (C-03, I-14). */
export class Welcomes {
  readonly #env: Env
  readonly #outbox: Outbox
  #running: Promise<void> | undefined

  constructor(env: Env, outbox: Outbox) {
    this.#env = env
    this.#outbox = outbox
  }

  /** One round over all that wait. What is left afterwards is for the alarm. */
  run(): Promise<void> {
    this.#running ??= this.#round().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #round(): Promise<void> {
    let done = 0
    for (;;) {
      const batch = this.#outbox.after(done, WAKE_BATCH)
      const newest = batch.at(-1)
      if (newest === undefined) return
      await Promise.all(batch.map((welcome) => this.#deliver(welcome)))
      done = newest.n
    }
  }

  async #deliver({ n, id, drop, envelope }: Welcome): Promise<void> {
    const opened = openDrop(dropKey(this.#env), drop)
    if (opened === undefined) return this.#outbox.delete(n) // sealed under a key that the realm has no more
    const mailbox = this.#env.MAILBOX.get(this.#env.MAILBOX.idFromName(toBase64url(opened.mailbox)))
    try {
      const outcome = await mailbox.put(id, envelope)
      if (outcome !== 'full') this.#outbox.delete(n) // taken, or nobody has opened that mailbox
    } catch {
      // The mailbox could not be reached: the alarm tries again.
    }
  }
}
