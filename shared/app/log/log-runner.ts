import type { Deps } from '../deps.ts'
import type { EngineHands } from '../requests.ts'
import type { Timers } from '../timers.ts'
import { hasWaiting } from './note-line.ts'
import { readOwnLog } from './own-log.ts'
import { restoreHistory } from './restore-history.ts'
import { type LogNews, syncLog } from './sync-log.ts'

/** What faces change comes in little steps; what was received, every device of the account has: one of them tells the log. */
const BOOKS_AFTER_MS = 1_500
const RECEIVED_AFTER_MS = [1_000, 4_000] as const
/** Not at once: a relay that says that its log goes on and then gives nothing would be asked without an end. */
const PULLED_AFTER_MS = 1_000

export type LogWhat = { readonly pull?: boolean; readonly books?: boolean }
/** What the log needs of the engine: its turns and errors, and to say what came of it. */
export type LogHands = Pick<EngineHands, 'turn' | 'lookAtAccount' | 'kick'> & {
  readonly timers: Timers
  /** Greeted, as a device of the account. */
  isReady(): boolean
  inLogTurn(name: string, task: () => Promise<void>, again: () => void): void
  applied(channelIds: ReadonlySet<string>): Promise<void>
}

/** When the log is looked at, one pass at a time; what is asked meanwhile is part of the next one. */
export class LogRunner {
  readonly #deps: Deps
  readonly #hands: LogHands
  #due: { readonly pull: boolean; readonly books: boolean } | undefined
  #historyDue = false
  /** Channels that history came for: each is driven once for it, and not with every page. */
  readonly #driven = new Set<string>()

  constructor(deps: Deps, hands: LogHands) {
    this.#deps = deps
    this.#hands = hands
  }

  noted({ pull = false, books = false }: LogWhat = {}): void {
    const due = this.#due
    this.#due = { pull: pull || due?.pull === true, books: books || due?.books === true }
    if (due !== undefined) return
    this.#hands.inLogTurn(
      'log',
      () => this.#sync(),
      () => this.noted({ pull: true, books: true }),
    )
  }

  booksMayHaveChanged(): void {
    this.#hands.timers.set('log books', BOOKS_AFTER_MS, () => this.noted({ books: true }))
  }

  /** A channel went on: what this device sent is told at once, what it received after a while. */
  async linesCame(arrived: boolean): Promise<void> {
    if (!(await hasWaiting(this.#deps.store))) return
    if (!arrived) {
      this.noted()
      return
    }
    const [from, to] = RECEIVED_AFTER_MS
    const [spread = 0] = this.#deps.dice(1)
    this.#hands.timers.set('log received', from + ((to - from) * spread) / 256, () => this.noted())
  }

  async #sync(): Promise<void> {
    const { pull, books } = this.#due ?? { pull: false, books: false }
    this.#due = undefined
    const online = this.#hands.isReady()
    const news: LogNews = { channels: new Set(), newDevice: false }
    try {
      await syncLog(this.#deps, this.#hands, { online, pull, books }, news)
    } finally {
      if (news.newDevice) this.#hands.lookAtAccount() // it is in a manifest that this device may not have yet (K-05)
      await this.#hands.applied(news.channels)
      for (const id of news.channels) this.#hands.kick(id)
    }
    if (online) this.#restoreHistory()
  }

  /** Part by part, so that what is said meanwhile is not held up by what was said before. */
  #restoreHistory(): void {
    if (this.#historyDue) return
    this.#historyDue = true
    const restore = async (): Promise<void> => {
      this.#historyDue = false
      const own = this.#hands.isReady() ? await readOwnLog(this.#deps) : undefined
      if (own?.isOpen !== true) return
      const state = await restoreHistory(this.#deps, this.#hands, own, async (channelIds) => {
        await this.#hands.applied(channelIds)
        for (const id of channelIds) {
          if (!this.#driven.has(id)) this.#hands.kick(id)
          this.#driven.add(id)
        }
      })
      this.#deps.changes.announce({ what: 'work' })
      if (state === 'more') this.#restoreHistory()
      if (state === 'behind') this.#hands.timers.set('log behind', PULLED_AFTER_MS, () => this.noted({ pull: true }))
    }
    this.#hands.inLogTurn('history', restore, () => this.#restoreHistory())
  }
}
