import { toBase64url } from '#core/bytes/base64url.ts'
import type { WakeLabel } from '#core/wire/ids.ts'
import { encodePush } from '#core/wire/message.ts'
import type { Ordered } from '#core/wire/operations.ts'
import { openDrop } from '../drops.ts'
import type { Env, ObjectId } from '../env.ts'
import { batches, carriedIn, isAwake } from '../rules/wakes.ts'
import { dropKey } from '../secrets.ts'
import type { Seat } from './seats.ts'

type Bell = { readonly mailbox: ObjectId; readonly label: WakeLabel }
type News = { readonly item: Ordered; readonly by: Seat | undefined }

/**
 * Tells seats that there is news. What comes while a round is under way goes out together in the next one. A round that
 * a crash cuts short is made good by the channel's alarm.
 */
export class Wakes {
  readonly #env: Env
  readonly #seats: () => Iterable<Seat>
  readonly #bells = new WeakMap<Seat, Bell | 'none'>()
  #news: News[] = []
  #running = false

  constructor(env: Env, seats: () => Iterable<Seat>) {
    this.#env = env
    this.#seats = seats
  }

  add(items: readonly Ordered[], by: Seat | undefined): void {
    for (const item of items) this.#news.push({ item, by })
  }

  async run(): Promise<void> {
    if (this.#running) return
    this.#running = true
    try {
      while (this.#news.length > 0) {
        const news = this.#news
        this.#news = []
        const carried = carriedIn(news.map(({ item }) => item))
        const seats = [...this.#seats()].filter((seat) => isAwake(seat) && news.some((one) => isNewsTo(seat, one)))
        await this.#tell(seats, carried, false)
      }
    } finally {
      this.#running = false
    }
  }

  /** The durable way: the label is stored, whoever is connected. */
  async leaveLabels(seats: readonly Seat[]): Promise<void> {
    await this.#tell(seats, [], true)
  }

  /** For the last time: whoever was taken out asks, and hears so, instead of waiting for news that never comes (CHN8). */
  async tellRemoved(seats: readonly Seat[]): Promise<void> {
    await this.#tell(seats, [], true)
  }

  async #tell(seats: readonly Seat[], carried: readonly Ordered[], store: boolean): Promise<void> {
    for (const batch of batches(seats)) await Promise.all(batch.map((seat) => this.#ring(seat, carried, store)))
  }

  async #ring(seat: Seat, carried: readonly Ordered[], store: boolean): Promise<void> {
    const bell = this.#bellOf(seat)
    if (bell === 'none') {
      seat.quiet = true
      return
    }
    try {
      const push = encodePush('wake', { label: bell.label, carried })
      const outcome = await this.#env.MAILBOX.get(bell.mailbox).wake(bell.label, push, store)
      if (outcome !== 'live') seat.quiet = true // nobody is there: the label lies ready
    } catch {
      // The mailbox could not be reached: the alarm tells the seat again.
    }
  }

  /** Opened once: a seat's drop is the same for as long as this object is awake. */
  #bellOf(seat: Seat): Bell | 'none' {
    let bell = this.#bells.get(seat)
    if (bell === undefined) {
      const drop = openDrop(dropKey(this.#env), seat.drop)
      bell = drop ? { mailbox: this.#env.MAILBOX.idFromName(toBase64url(drop.mailbox)), label: drop.label } : 'none' // the realm has another key now
      this.#bells.set(seat, bell)
    }
    return bell
  }
}

function isNewsTo(seat: Seat, { item, by }: News): boolean {
  return by !== seat && item.position > seat.cursor
}
