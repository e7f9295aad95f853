import { pastUntilMs } from '#core/mls/index.ts'
import type { Ordered } from '#core/wire/operations.ts'
import { readAccount } from '../account/read-account.ts'
import type { ChannelLabels } from '../channel/channel-labels.ts'
import { comeBack } from '../channel/come-back.ts'
import { type Driven, drive, isToAcknowledge } from '../channel/drive.ts'
import type { Loaded } from '../channel/loaded.ts'
import { dropOldKeys } from '../channel/old-keys.ts'
import { loadOrReturn } from '../channel/return.ts'
import type { Deps } from '../deps.ts'
import { NOTES, queueNotes } from '../log/notes.ts'
import { receiptDelayMs } from '../message/owe-receipts.ts'
import { queueIntents } from '../message/queue-intents.ts'
import { vanishLines } from '../message/vanish.ts'
import type { AccountRecord } from '../ports/records.ts'
import type { Timers } from '../timers.ts'

const ACK_AFTER_MS = 2_000
/** What rides in wakes and is not applied yet; more of it is left to a fetch. */
const MAX_CARRIED = 256
/** A timer of the platform holds 24 days. */
const LOOK_EVERY_MS = 6 * 60 * 60 * 1000

export type ChannelHands = {
  readonly timers: Timers
  readonly labels: ChannelLabels
  isStopped(): boolean
  isGreeted(): boolean
  /** In the channel's turn, with what goes wrong kept to that. */
  inTurn(channelId: string, name: string, task: () => Promise<void>, again: () => void): void
  tellUnread(): Promise<void>
  /** A channel went on as far as it can go now, wherever that is. */
  applied(before: Loaded, driven: Driven): Promise<void>
  /** And this device is in it. */
  settled(before: Loaded, driven: Driven): Promise<void>
  /** Out of the channel: is it out of the account? (K-07) */
  lost(): void
  left(): void
  /** This device has come into the channel by itself, or knows that it has no place there. */
  cameBack(channelId: string): Promise<void>
  /** Lines of the notes to self. */
  noted(): Promise<void>
}

/** When which channel is driven: one task at a time for each, by what came, what was written, and what is due. */
export class ChannelRunner {
  readonly #deps: Deps
  readonly #hands: ChannelHands
  readonly #loaded = new Map<string, Loaded>()
  readonly #carried = new Map<string, Ordered[]>()
  readonly #unfetched = new Set<string>()
  readonly #driven = new Set<string>() // now: each of them may be about to hear something
  readonly #receiptsDue = new Set<string>()
  readonly #compared = new Map<string, number>() // with manifests, when the own one had this number

  constructor(deps: Deps, hands: ChannelHands) {
    this.#deps = deps
    this.#hands = hands
  }

  /** The store has something new for this channel to do. */
  kick(channelId: string): void {
    if (this.#hands.isStopped()) return
    const again = (): void => this.kick(channelId)
    this.#hands.inTurn(channelId, `drive ${channelId}`, () => this.#drive(channelId), again)
  }

  async kickAll(table: 'syncs' | 'channels'): Promise<void> {
    for (const { key } of await this.#deps.store.list(table)) this.kick(String(key))
  }

  fetch(channelId: string): void {
    this.#carried.delete(channelId)
    this.#unfetched.add(channelId)
    this.kick(channelId)
  }

  woken(channelId: string, more: readonly Ordered[]): void {
    const carried = [...(this.#carried.get(channelId) ?? []), ...more]
    if (more.length === 0 || carried.length > MAX_CARRIED) this.fetch(channelId)
    else {
      this.#carried.set(channelId, carried)
      this.kick(channelId)
    }
  }

  /** A manifest is newer than when channels were last compared with them. */
  async compareAgain(): Promise<void> {
    this.#compared.clear()
    await this.kickAll('syncs')
  }

  /** Nothing that came waits to be applied, or is being fetched. */
  isCurrent(channelId: string): boolean {
    const isToFetch = this.#unfetched.has(channelId) || this.#driven.has(channelId)
    return !isToFetch && (this.#carried.get(channelId) ?? []).length === 0
  }

  /** Somebody else has its turn, and may write: it is read from the store again. */
  forget(channelId: string): void {
    this.#loaded.delete(channelId)
  }

  clear(): void {
    for (const held of [this.#loaded, this.#carried, this.#unfetched, this.#driven, this.#receiptsDue]) held.clear()
  }

  announceLines(channelId: string): void {
    this.#deps.changes.announce({ what: 'lines', channelId })
    this.#deps.changes.announce({ what: 'channels' })
  }

  async #drive(channelId: string): Promise<void> {
    if (this.#hands.isStopped()) return
    const account = await readAccount(this.#deps.store)
    if (channelId === NOTES && account !== undefined) return this.#driveNotes(account)
    if (account === undefined) return
    await this.#vanish(channelId)
    const before = this.#loaded.get(channelId) ?? (await loadOrReturn(this.#deps, channelId))
    if (before === undefined) return this.#comeBack(account, channelId)
    this.#hands.labels.add(before.sync.label, channelId)
    this.#loaded.delete(channelId) // until it is whole again: after a failure it is read from the store
    const queued = await queueIntents(this.#deps, account, await dropOldKeys(this.#deps, before))
    this.announceLines(channelId)
    this.#driveAt(channelId, pastUntilMs(queued.group)) // with or without a connection (C-08)
    if (!this.#hands.isGreeted()) {
      this.#loaded.set(channelId, queued)
      return
    }
    const carried = this.#carried.get(channelId) ?? []
    this.#carried.delete(channelId)
    const fetchFirst = this.#unfetched.delete(channelId)
    const receipts = this.#receiptsDue.delete(channelId)
    try {
      const { sequence } = account
      const manifests = this.#compared.get(channelId) !== sequence
      this.#driven.add(channelId)
      const driven = await drive(this.#deps, queued, { carried, fetchFirst, receipts, manifests })
      if (driven.failure !== undefined) {
        this.#unfetched.add(channelId)
        this.#compared.delete(channelId) // an epoch may have begun that was not yet
      } else if (manifests) this.#compared.set(channelId, sequence)
      this.#driven.delete(channelId)
      await this.#settle(queued, driven)
      if (driven.failure !== undefined) throw driven.failure
    } catch (error) {
      this.#unfetched.add(channelId)
      this.#driven.delete(channelId)
      // What is on disk goes from the relay whatever else fails: it may be that very room which the relay does not have.
      this.#acknowledgeSoon(channelId)
      throw error
    }
  }

  async #settle(queued: Loaded, driven: Driven): Promise<void> {
    const { loaded, acknowledge, again, againAtMs } = driven
    const { id } = loaded
    await this.#hands.applied(queued, driven)
    this.announceLines(id)
    if (loaded.channel.state === 'returning') {
      this.#hands.lost()
      return this.kick(id)
    }
    if (loaded.channel.left === 'left') return this.#hands.left()
    this.#loaded.set(id, loaded)
    await this.#vanish(id)
    if (again) {
      this.#compared.delete(id) // that epoch was compared with no manifests yet (RMV1)
      this.kick(id)
    }
    await this.#hands.settled(queued, driven)
    const { timers } = this.#hands
    if (acknowledge) this.#acknowledgeSoon(id)
    if (loaded.sync.owed.length > 0)
      timers.set(`receipts ${id}`, receiptDelayMs(this.#deps, loaded), () => this.#sendReceipts(id))
    this.#driveAt(id, againAtMs)
  }

  #driveAt(channelId: string, atMs: number | undefined): void {
    if (atMs === undefined) return
    const delayMs = atMs - this.#deps.clock.now()
    this.#hands.timers.set(`due ${channelId} ${atMs}`, delayMs, () => this.kick(channelId))
  }

  /** M-04: with or without a connection, and whatever the state of the channel. */
  async #vanish(channelId: string): Promise<void> {
    const { nextMs, gone } = await vanishLines(this.#deps, channelId)
    // On a grid: a moment of its own for each drive would be a timer for each, and each of these drives again.
    const lookMs = (Math.floor(this.#deps.clock.now() / LOOK_EVERY_MS) + 1) * LOOK_EVERY_MS
    if (nextMs !== undefined) this.#driveAt(channelId, Math.min(nextMs, lookMs))
    if (!gone) return
    this.#loaded.delete(channelId)
    this.announceLines(channelId)
    await this.#hands.tellUnread()
  }

  async #driveNotes(account: AccountRecord): Promise<void> {
    await queueNotes(this.#deps, account)
    this.announceLines(NOTES)
    await this.#hands.noted()
  }

  /** A channel that this device is not in, or not any more by its own state (C-07). What is written to it waits. */
  async #comeBack(account: AccountRecord, channelId: string): Promise<void> {
    const channel = await this.#deps.store.get('channels', channelId)
    if (channel?.state !== 'returning' && channel?.pausedBy !== 'removed') return
    const queued = await queueIntents(this.#deps, account, { id: channelId, channel })
    this.announceLines(channelId)
    if (!this.#hands.isGreeted()) return
    const name = `come back ${channelId}`
    const result = await comeBack(this.#deps, channelId, queued.channel)
    if (result === 'waiting') return this.#hands.timers.retry(name, 0, () => this.kick(channelId))
    this.#hands.timers.succeeded(name)
    this.#compared.delete(channelId)
    await this.#hands.cameBack(channelId)
    this.announceLines(channelId)
    if (result === 'in') this.fetch(channelId)
  }

  #sendReceipts(channelId: string): void {
    this.#receiptsDue.add(channelId)
    this.kick(channelId)
  }

  #acknowledgeSoon(channelId: string): void {
    this.#hands.timers.set(`ack ${channelId}`, ACK_AFTER_MS, () => this.#acknowledge(channelId))
  }

  /** Tells the relay what is on this disk and may be forgotten there (I-05); coalesced, a few seconds late. */
  #acknowledge(channelId: string): void {
    const acknowledge = async (): Promise<void> => {
      const { store, relay } = this.#deps
      const loaded = this.#loaded.get(channelId)
      const channel = loaded?.channel ?? (await store.get('channels', channelId))
      const before = loaded?.sync ?? (await store.get('syncs', channelId))
      if (channel === undefined || before === undefined || !this.#hands.isGreeted()) return
      if (!isToAcknowledge({ channel, sync: before })) return
      const { address, seat, token, cursor } = before
      await relay.call('channel.ack', { address, seat, token, upTo: cursor })
      const sync = { ...before, acked: cursor }
      await store.write([{ put: 'syncs', key: channelId, record: sync }])
      if (loaded !== undefined) this.#loaded.set(channelId, { ...loaded, sync })
    }
    // Tried again in the channel's own turn too: elsewhere it would put an older state over what a message has changed.
    const again = (): void => this.#acknowledge(channelId)
    this.#hands.inTurn(channelId, `ack ${channelId}`, acknowledge, again)
  }
}
