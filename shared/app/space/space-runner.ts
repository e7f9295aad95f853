import type { Loaded } from '../channel/loaded.ts'
import { spread } from '../channel/spread.ts'
import type { Deps } from '../deps.ts'
import type { Timers } from '../timers.ts'
import { homesIn, namedBy, partsIn } from './agreement.ts'
import { bringPeople } from './bring-people.ts'
import { type SpaceHands, settleSpace } from './settle-space.ts'

/** Others may do the same: not all of them at once (SPC4). */
const WITHIN_MS = 10_000
/** Somebody who could not be added is tried again (SPC6). */
const AGAIN_MS = 5 * 60_000

export type RunnerHands = SpaceHands & {
  readonly timers: Timers
  isReady(): boolean
  inSpacesTurn(name: string, task: () => Promise<void>, again: () => void): void
  /** Looking people up takes a while: what else is to be done in spaces waits for none of it (SPC8). */
  inPeopleTurn(name: string, task: () => Promise<void>, again: () => void): void
}

/** When a space is held against its home: after epochs of either, and when there is a connection. */
export class SpaceRunner {
  readonly #deps: Deps
  readonly #hands: RunnerHands
  readonly #compared = new Set<string>() // channels, on this connection
  readonly #hurried = new Set<string>() // homes that this device has changed itself
  readonly #bringing = new Set<string>() // homes whose people are to be looked up

  constructor(deps: Deps, hands: RunnerHands) {
    this.#deps = deps
    this.#hands = hands
  }

  connected(): void {
    this.#compared.clear()
  }

  /** This device has come into a channel anew: what it missed is compared. */
  cameBack(id: string): void {
    this.#compared.delete(id)
  }

  /** A channel was driven. */
  driven(before: Loaded, { id, channel }: Loaded, epochBegan: boolean): void {
    const space = channel.space ?? before.channel.space
    if (space === undefined) return
    const isUnseen = space.is === 'channel' && channel.spaceSeen !== true
    if (!epochBegan && !isUnseen && this.#compared.has(id)) return
    this.#compared.add(id)
    this.#run(`look ${id}`, async () => {
      const homes = homesIn(await partsIn(this.#deps.store))
      const home = space.is === 'home' ? id : namedBy({ ...channel, space }, homes)?.id
      if (home === undefined) return
      await settleSpace(this.#deps, this.#hands, home, { acts: false })
      if (this.#hurried.has(home)) await this.#act(home)
      else this.#actLater(home, spread(this.#deps, WITHIN_MS))
    })
  }

  /** This device changes the space: what follows from it does not wait for chance. */
  hurry(homeId: string): void {
    this.#run(`act ${homeId}`, async () => {
      if ((await this.#deps.store.get('channels', homeId))?.space?.is !== 'home') return
      this.#hurried.add(homeId)
      await settleSpace(this.#deps, this.#hands, homeId, { acts: false }) // with or without a connection
      await this.#act(homeId)
    })
  }

  #actLater(homeId: string, delayMs: number): void {
    this.#hands.timers.set(`space ${homeId}`, delayMs, () => this.#run(`act ${homeId}`, () => this.#act(homeId)))
  }

  async #act(homeId: string): Promise<void> {
    if (!this.#hands.isReady()) return
    let isBehind = false
    const isCurrent = (id: string): boolean => {
      const is = this.#isCurrent(id)
      isBehind ||= !is
      return is
    }
    await settleSpace(this.#deps, { ...this.#hands, isCurrent }, homeId, { acts: true })
    this.#bring(homeId)
    const waiting = (await this.#deps.store.get('syncs', homeId))?.wanted ?? []
    if (!isBehind && !waiting.some(({ want }) => want !== 'heal')) this.#hurried.delete(homeId)
  }

  /** What is left out now, since something of it waits to be applied, is compared when it has been driven, epoch or not (SPC5). */
  #isCurrent(id: string): boolean {
    if (this.#hands.isCurrent(id)) return true
    this.#compared.delete(id)
    return false
  }

  #bring(homeId: string): void {
    if (this.#bringing.has(homeId)) return
    this.#bringing.add(homeId)
    const bring = async (): Promise<void> => {
      this.#bringing.delete(homeId)
      if (!this.#hands.isReady()) return
      const hands = { ...this.#hands, isCurrent: (id: string) => this.#isCurrent(id) }
      const { isLeft } = await bringPeople(this.#deps, hands, homeId)
      if (isLeft) this.#hands.timers.set(`space again ${homeId}`, AGAIN_MS, () => this.#actLater(homeId, 0))
    }
    this.#hands.inPeopleTurn(`space people ${homeId}`, bring, () => this.#bring(homeId))
  }

  #run(name: string, task: () => Promise<void>): void {
    this.#hands.inSpacesTurn(`space ${name}`, task, () => this.#run(name, task))
  }
}
