import { labels } from '#core/crypto/labels.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import { ENVELOPE_OVERHEAD_BYTES, encodeEnvelope } from '#core/wire/envelope.ts'
import type { Address, EntryId, Head, PostId, SeatId, Token, TokenHash, WakeLabel } from '#core/wire/ids.ts'
import type { ArgsOf, OperationName, Place, ReplyOf } from '#core/wire/operations.ts'
import type { NewSeat, SeatChanges } from '#core/wire/seats.ts'
import { Seeded } from '../seeded.ts'

export type Caller = { call<O extends OperationName>(op: O, args: ArgsOf<O>): Promise<ReplyOf<O>> }

const NO_CHANGES: SeatChanges = { add: [], remove: [] }
export const NOWHERE = new Uint8Array(32) as Address

export function envelopeTo(to: Address, bytes = 256, fill = 0): Uint8Array {
  return encodeEnvelope({ to, body: new Uint8Array(bytes - ENVELOPE_OVERHEAD_BYTES).fill(fill) })
}

/** A device as the relay knows it: one mailbox, one seat in one channel. What it seals is nothing. */
export class Person {
  readonly #dice: Seeded['dice']
  readonly mailbox: { readonly address: Address; readonly token: Token }
  readonly label: WakeLabel
  readonly seat: SeatId
  token: Token
  /** The account's place in the channel: devices of one account share it. */
  entry: { id: EntryId; token: Token }
  known: Place = { position: 0, head: new Uint8Array(32) as Head }
  drop = new Uint8Array()
  caller: Caller

  constructor(caller: Caller, seed: number) {
    this.caller = caller
    this.#dice = new Seeded(seed).dice
    this.mailbox = { address: this.#dice(32) as Address, token: this.#dice(32) as Token }
    this.label = this.#dice(16) as WakeLabel
    this.seat = this.#dice(16) as SeatId
    this.token = this.#dice(32) as Token
    this.entry = { id: this.#dice(16) as EntryId, token: this.#dice(32) as Token }
  }

  id(): PostId {
    return this.#dice(16) as PostId
  }

  token32(): Token {
    return this.#dice(32) as Token
  }

  /** Opens the mailbox, listens to it, and has a drop made. */
  async arrive(): Promise<this> {
    const { address, token } = this.mailbox
    const tokenHash = hashToken<TokenHash>(labels.mailboxToken, token)
    await this.caller.call('mailbox.open', { address, tokenHash })
    await this.caller.call('mailbox.attach', this.mailbox)
    this.drop = new Uint8Array((await this.caller.call('mailbox.drop', { ...this.mailbox, label: this.label })).drop)
    return this
  }

  asSeat(moderator = false): NewSeat {
    const entry = { id: this.entry.id, tokenHash: hashToken<TokenHash>(labels.entryToken, this.entry.token) }
    return { id: this.seat, tokenHash: this.hash(this.token), moderator, drop: this.drop, entry }
  }

  hash(token: Token): TokenHash {
    return hashToken<TokenHash>(labels.seatToken, token)
  }

  async open(address: Address): Promise<Place> {
    this.known = await this.caller.call('channel.open', { address, seat: this.asSeat(true) })
    return this.known
  }

  key(address: Address) {
    return { address, seat: this.seat, token: this.token }
  }

  async post(address: Address, ids: readonly PostId[] = [this.id()], commits = 0, bytes = 256) {
    const posts = ids.map((id) => ({ id, commits, envelope: envelopeTo(address, bytes) }))
    return (await this.caller.call('channel.post', { ...this.key(address), known: this.known, posts })).results
  }

  commitArgs(address: Address, more: Partial<ArgsOf<'channel.commit'>> = {}): ArgsOf<'channel.commit'> {
    const base = { id: this.id(), after: 0, envelope: envelopeTo(address), seats: NO_CHANGES, welcomes: [] }
    return { ...this.key(address), known: this.known, ...base, ...more }
  }

  async commit(address: Address, more: Partial<ArgsOf<'channel.commit'>> = {}): Promise<number> {
    return (await this.caller.call('channel.commit', this.commitArgs(address, more))).position
  }

  entryKey(address: Address) {
    return { address, entry: this.entry.id, token: this.entry.token }
  }

  enterArgs(address: Address, more: Partial<ArgsOf<'channel.enter'>> = {}): ArgsOf<'channel.enter'> {
    const seats = { add: [this.asSeat()], remove: [] }
    return { ...this.entryKey(address), id: this.id(), after: 0, envelope: envelopeTo(address), seats, ...more }
  }

  /** Comes in by itself, with the token of its account's entry. */
  async enter(address: Address, more: Partial<ArgsOf<'channel.enter'>> = {}): Promise<number> {
    return (await this.caller.call('channel.enter', this.enterArgs(address, more))).position
  }

  state(address: Address) {
    return this.caller.call('channel.state', this.entryKey(address))
  }

  fetch(address: Address, after = 0) {
    return this.caller.call('channel.fetch', { ...this.key(address), after })
  }

  ack(address: Address, upTo: number) {
    return this.caller.call('channel.ack', { ...this.key(address), upTo })
  }

  mail(after = 0) {
    return this.caller.call('mailbox.fetch', { ...this.mailbox, after })
  }
}
