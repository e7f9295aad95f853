import { toBase64url } from '#core/bytes/base64url.ts'
import { openDrop } from '../drops.ts'
import type { Env } from '../env.ts'
import { dropKey } from '../secrets.ts'
import type { Outbox, Span, Welcome } from './outbox.ts'

/** `full`: mailboxes that had no room in this round. `again`: what is large may have waited for room since weeks. */
type Round = { readonly full: Set<string>; readonly again: boolean }

const ALL: Span = { first: 0, last: Number.MAX_SAFE_INTEGER }

/** Brings welcomes to their mailboxes; a row goes only once the mailbox has its copy on disk (C-03, I-14). */
export class Welcomes {
  readonly #env: Env
  readonly #outbox: () => Outbox | undefined
  readonly #underWay = new Set<number>()

  constructor(env: Env, outbox: () => Outbox | undefined) {
    this.#env = env
    this.#outbox = outbox
  }

  /** Those of one commit. What is left of them afterwards is for the alarm. */
  bring(fresh: Span): Promise<void> {
    return this.#run(fresh, { full: new Set(), again: false })
  }

  /** All that wait. */
  bringAgain(): Promise<void> {
    return this.#run(ALL, { full: new Set(), again: true })
  }

  async #run({ first, last }: Span, round: Round): Promise<void> {
    for (let next = first; ; ) {
      const waiting = this.#outbox()?.waiting({ first: next, last }) ?? []
      const newest = waiting.at(-1)
      if (newest === undefined) return
      const batch = waiting.filter(({ n }) => !this.#underWay.has(n))
      for (const { n } of batch) this.#underWay.add(n)
      try {
        await Promise.all([...this.#byMailbox(batch)].map(([name, queue]) => this.#deliver(name, queue, round)))
      } finally {
        for (const { n } of batch) this.#underWay.delete(n)
      }
      next = newest.n + 1
    }
  }

  #byMailbox(batch: readonly Welcome[]): ReadonlyMap<string, readonly Welcome[]> {
    const queues = new Map<string, Welcome[]>()
    for (const welcome of batch) {
      const opened = openDrop(dropKey(this.#env), welcome.drop)
      if (opened === undefined) {
        this.#outbox()?.delete(welcome.n) // sealed under a key that the realm has no more
        continue
      }
      const name = toBase64url(opened.mailbox)
      const queue = queues.get(name)
      if (queue === undefined) queues.set(name, [welcome])
      else queue.push(welcome)
    }
    return queues
  }

  /** One mailbox's, in their order: behind one that it has no room for nothing else is tried. */
  async #deliver(name: string, queue: readonly Welcome[], { full, again }: Round): Promise<void> {
    const mailbox = this.#env.MAILBOX.get(this.#env.MAILBOX.idFromName(name))
    for (const { n, id, bytes } of queue) {
      if (full.has(name)) return
      try {
        const room = again ? await mailbox.roomFor(id, bytes) : 'free'
        const envelope = room === 'free' ? this.#outbox()?.envelope(n) : undefined
        const outcome = envelope === undefined ? room : await mailbox.put(id, envelope)
        if (outcome === 'full') full.add(name)
        else this.#outbox()?.delete(n) // taken, or nobody has opened that mailbox
      } catch {
        return // The mailbox could not be reached: the alarm tries again.
      }
    }
  }
}
