import { DurableObject } from 'cloudflare:workers'
import { equalBytes } from '#core/bytes/equal.ts'
import { firstHead } from '#core/channel/chain.ts'
import type { Refusal } from '#core/wire/message.ts'
import type { ArgsOf, Place, ReplyOf } from '#core/wire/operations.ts'
import { type Answer, DONE, refuse } from '../answer.ts'
import { askState, leaveState, tellMore, waiting, waitingFor } from '../channel/ask-state.ts'
import { type Means, orderCommit, orderEnter } from '../channel/commit.ts'
import { admit, enter } from '../channel/enter.ts'
import type { Span } from '../channel/outbox.ts'
import { type Ordering, orderPosts } from '../channel/post.ts'
import { type ChannelRows, createRows, openRows } from '../channel/rows.ts'
import type { Seat } from '../channel/seats.ts'
import { stashPiece } from '../channel/stash-piece.ts'
import { Wakes } from '../channel/wakes.ts'
import { Welcomes } from '../channel/welcomes.ts'
import { DAY_MS, dayOf, nowMs } from '../clock.ts'
import { resealDrop } from '../drops.ts'
import type { Env } from '../env.ts'
import { askDeadline, TELL_MORE_MS } from '../rules/asks.ts'
import type { QueueLimits } from '../rules/quota.ts'
import { ackedByAll, envelopeDeadline, memoryDeadline, stashDeadlines } from '../rules/retention.ts'
import { areOwn } from '../rules/seats.ts'
import { needsLabel } from '../rules/wakes.ts'
import { dropKey } from '../secrets.ts'
import { Alarm } from '../storage/alarm.ts'
import { Batch } from '../storage/batch.ts'

/** How long cursors rest in memory, and how long a seat that was told live has to take its news. */
const SETTLE_MS = 10_000
/** The first retry is for an object that died before it delivered, later ones for a mailbox that is full. */
const WELCOME_RETRY_MS = 2_000
const WELCOME_PATIENCE_MS = 60_000

/** One channel: its seats and its one order of envelopes. A commit is stored before any welcome is delivered (C-03, I-14). */
export class Channel extends DurableObject<Env> {
  readonly #alarm = new Alarm(this.ctx)
  readonly #batch = new Batch(this.ctx.storage, () => {
    this.#rows = undefined // memory went ahead of the disk: read it anew
    this.#alarm.read()
  })
  readonly #wakes = new Wakes(this.env, () => this.#open()?.seats.all() ?? [])
  #welcomes: Welcomes | undefined
  #rows: ChannelRows | undefined
  #toldMs = 0
  #broughtMs = 0
  /** The channel's end as the last alarm saw it: whoever has not taken it by the next one gets a label (DRP5). */
  #settled = 0

  open({ address, seat }: ArgsOf<'channel.open'>): Answer<Place> {
    const start = { position: 0, head: firstHead(address) }
    const seats = this.#open()?.seats
    if (seats) {
      const same = seats.at(seat.id)
      return same && equalBytes(same.tokenHash, seat.tokenHash) ? { reply: start } : refuse('channel/exists')
    }
    const drop = resealDrop(dropKey(this.env), seat.drop)
    if (drop === undefined) return refuse('drop/invalid')
    this.ctx.storage.transactionSync(() => createRows(this.ctx.storage.sql, address, { ...seat, drop }))
    return { reply: start }
  }

  post(args: ArgsOf<'channel.post'>, limits: QueueLimits): Promise<Answer<ReplyOf<'channel.post'>>> {
    return this.#order(
      (rows) => enter(rows, args),
      (entered) => orderPosts(entered, args, limits, dayOf(nowMs())),
    )
  }

  commit(args: ArgsOf<'channel.commit'>, limits: QueueLimits): Promise<Answer<ReplyOf<'channel.commit'>>> {
    return this.#order(
      (rows) => enter(rows, args),
      (entered) => {
        const ordering = orderCommit(entered, args, this.#means(limits))
        if (ordering.welcomes) this.#alarm.within(WELCOME_RETRY_MS)
        return ordering
      },
    )
  }

  enter(args: ArgsOf<'channel.enter'>, limits: QueueLimits): Promise<Answer<ReplyOf<'channel.enter'>>> {
    return this.#order(
      (rows) => admit(rows, args),
      (admitted) => orderEnter(admitted, args, this.#means(limits)),
    )
  }

  readState(key: ArgsOf<'channel.state'>): Answer<ReplyOf<'channel.state'>> {
    const admitted = admit(this.#open(), key)
    if ('refusal' in admitted) return admitted
    const { log, state } = admitted.rows
    const { position = 0, ...found } = state.for(key.entry) ?? {}
    return { reply: { ...found, at: position, ...log.standing } }
  }

  /** CHN23: a piece of the state that `readState` names. */
  piece({ n, ...key }: ArgsOf<'channel.piece'>): Answer<ReplyOf<'channel.piece'>> {
    const admitted = admit(this.#open(), key)
    if ('refusal' in admitted) return admitted
    const { state, stash } = admitted.rows
    const name = state.for(key.entry)?.stash
    const bytes = name && stash.at(name.id, n)
    return { reply: bytes ? { bytes } : {} }
  }

  /** CHN23. */
  async ask({ refused, ...key }: ArgsOf<'channel.ask'>): Promise<Answer<ReplyOf<'channel.ask'>>> {
    const { answer, tell } = await this.#batch.run(() => {
      const admitted = admit(this.#open(), key)
      if ('refusal' in admitted) return { answer: admitted, tell: [] }
      this.#alarm.within(TELL_MORE_MS)
      return askState(admitted, refused, dayOf(nowMs()))
    })
    if (tell.length > 0) {
      this.#toldMs = nowMs()
      this.ctx.waitUntil(this.#wakes.leaveLabels(tell))
    }
    return answer
  }

  answer(args: ArgsOf<'channel.answer'>): Promise<Answer<ReplyOf<'channel.answer'>>> {
    return this.#batch.run(() => {
      const entered = enter(this.#open(), args)
      return 'refusal' in entered ? entered : leaveState(entered, args, dayOf(nowMs()))
    })
  }

  reentry({ tokenHash, ...key }: ArgsOf<'channel.reentry'>): Answer<ReplyOf<'channel.reentry'>> {
    const entry = this.#open()?.entries.at(key.entry)
    if (entry && equalBytes(entry.tokenHash, tokenHash)) return DONE // as with retoken
    const admitted = admit(this.#open(), key)
    if ('refusal' in admitted) return admitted
    admitted.rows.entries.retoken(admitted.entry, tokenHash)
    return DONE
  }

  /** CHN18: at once, whatever becomes of the commit that removes the leaf (K-07). */
  expel({ seats: gone, ...key }: ArgsOf<'channel.expel'>): Promise<Answer<ReplyOf<'channel.expel'>>> {
    return this.#batch.run(() => {
      const admitted = admit(this.#open(), key)
      if ('refusal' in admitted) return admitted
      const { seats } = admitted.rows
      if (!areOwn(key.entry, gone, seats)) return refuse('channel/foreign-seat')
      for (const id of gone) seats.remove(id, dayOf(nowMs()))
      this.#alarm.within(SETTLE_MS) // nothing waits for them any more
      return DONE
    })
  }

  /** CHN21. */
  stash({ stash: name, n, bytes, ...key }: ArgsOf<'channel.stash'>): Promise<Answer<ReplyOf<'channel.stash'>>> {
    return this.#batch.run(() => {
      const entered = enter(this.#open(), key)
      if ('refusal' in entered) return entered
      const { rows, seat } = entered
      const answer = stashPiece(rows.stash, { stash: name, n, bytes }, seat.entry, dayOf(nowMs()))
      this.#alarm.within(DAY_MS)
      return answer
    })
  }

  unstash({ stash: id, n, ...key }: ArgsOf<'channel.unstash'>): Answer<ReplyOf<'channel.unstash'>> {
    const entered = enter(this.#open(), key)
    if ('refusal' in entered) return entered
    const bytes = entered.rows.stash.at(id, n)
    return { reply: bytes ? { bytes } : {} }
  }

  read({ after, ...key }: ArgsOf<'channel.fetch'>): Answer<ReplyOf<'channel.fetch'>> {
    const entered = enter(this.#open(), key)
    if ('refusal' in entered) return entered
    const { log } = entered.rows
    const { added } = entered.seat
    if (after > log.standing.last.position) return refuse('channel/behind')
    entered.seat.quiet = false
    const position = Math.max(after, added.position, log.emptied)
    const head = position === added.position ? added.head : log.headAt(position)
    if (head === undefined) return refuse('channel/behind')
    const wanted = waitingFor(entered.rows, entered.seat.id)
    const more = wanted.length === 0 ? {} : { wanted }
    return { reply: { envelopes: log.after(position), from: { position, head }, ...log.standing, ...more } }
  }

  ack({ upTo, ...key }: ArgsOf<'channel.ack'>): Answer<ReplyOf<'channel.ack'>> {
    const entered = enter(this.#open(), key)
    if ('refusal' in entered) return entered
    if (upTo > entered.rows.log.standing.last.position) return refuse('channel/behind')
    entered.seat.quiet = false
    if (entered.rows.seats.move(entered.seat, upTo)) {
      entered.rows.tellings.beginAnew()
      this.#alarm.within(SETTLE_MS)
    }
    return DONE
  }

  retoken({ tokenHash, ...key }: ArgsOf<'channel.retoken'>): Answer<ReplyOf<'channel.retoken'>> {
    const seat = this.#open()?.seats.at(key.seat)
    // Sent again after a lost answer: the old token is dead already, and what is asked for is so.
    if (seat && seat.removedDay === undefined && equalBytes(seat.tokenHash, tokenHash)) return DONE
    const entered = enter(this.#open(), key)
    if ('refusal' in entered) return entered
    entered.rows.seats.retoken(entered.seat, tokenHash)
    return DONE
  }

  override async alarm(): Promise<void> {
    this.#alarm.came()
    const rows = this.#open()
    if (rows === undefined) return
    const end = rows.log.standing.last.position
    this.#cleanUp(rows, end)
    this.#alarm.within(SETTLE_MS) // before the calls below: should this object die in one, the alarm still comes
    await this.#bringAgain(rows)
    await this.#tellAgain(rows)
    await this.#tellMore(rows)
    this.#settled = end
    this.#rest(rows)
  }

  #open(): ChannelRows | undefined {
    if (this.#rows === undefined) {
      this.#rows = openRows(this.ctx.storage.sql)
      this.#settled = this.#rows?.log.standing.last.position ?? 0
    }
    return this.#rows
  }

  async #order<T, By extends { readonly rows: ChannelRows; readonly seat?: Seat }>(
    come: (rows: ChannelRows | undefined) => By | { readonly refusal: Refusal },
    decide: (by: By) => Ordering<T>,
  ): Promise<Answer<T>> {
    let by: By | undefined
    const { answer, items, welcomes } = await this.#batch.run((): Ordering<T> => {
      const entered = come(this.#open())
      if ('refusal' in entered) return { answer: entered, items: [] }
      by = entered
      const ordering = decide(by)
      // In the same transaction: whatever becomes of this object, everybody hears of what was ordered.
      if (ordering.items.length > 0) this.#alarm.within(SETTLE_MS)
      return ordering
    })
    if (by && items.length > 0) {
      this.#wakes.add(items, by.seat)
      this.ctx.waitUntil(this.#wakes.run())
      const rows = this.#open()
      if (welcomes) this.ctx.waitUntil(this.#bring(welcomes))
      const removed = items.flatMap(({ seats }) => (seats?.remove ?? []).flatMap((id) => rows?.seats.at(id) ?? []))
      this.ctx.waitUntil(this.#wakes.tellRemoved(removed.filter(({ removedDay }) => removedDay !== undefined)))
    }
    return answer
  }

  #means(limits: QueueLimits): Means {
    return { limits, key: dropKey(this.env), day: dayOf(nowMs()) }
  }

  async #bring(welcomes: Span): Promise<void> {
    await this.ctx.storage.sync() // I-14: not before the commit is on the disk
    await this.#welcomesOut.bring(welcomes)
  }

  /** Once a minute, however often the alarm comes. */
  async #bringAgain({ outbox }: ChannelRows): Promise<void> {
    if (outbox.isEmpty || nowMs() < this.#broughtMs + WELCOME_PATIENCE_MS) return
    this.#broughtMs = nowMs()
    await this.ctx.storage.sync()
    await this.#welcomesOut.bringAgain()
  }

  get #welcomesOut(): Welcomes {
    this.#welcomes ??= new Welcomes(this.env, () => this.#open()?.outbox)
    return this.#welcomes
  }

  /** DRP5: after longer and longer, so that a seat which is there and never acknowledges lets everybody sleep. */
  async #tellAgain({ seats, tellings }: ChannelRows): Promise<void> {
    const behind = [...seats.all()].filter((seat) => needsLabel(seat, this.#settled))
    if (behind.length === 0 || !tellings.isDue(this.#settled, nowMs())) return
    this.ctx.storage.transactionSync(() => tellings.add(this.#settled, nowMs()))
    await this.#wakes.leaveLabels(behind)
  }

  /** CHN23: once a minute, to more seats each time, until somebody has answered. */
  async #tellMore({ asks }: ChannelRows): Promise<void> {
    if (asks.isEmpty || nowMs() < this.#toldMs + TELL_MORE_MS) return
    this.#toldMs = nowMs()
    const told = await this.#batch.run(() => {
      const rows = this.#open()
      return rows === undefined ? [] : tellMore(rows)
    })
    await this.#wakes.leaveLabels(told)
  }

  #cleanUp({ log, seats, entries, stash, outbox, asks }: ChannelRows, end: number): void {
    const today = dayOf(nowMs())
    const { named, unnamed } = stashDeadlines(today)
    try {
      this.ctx.storage.transactionSync(() => {
        seats.flush()
        log.settle()
        log.purge(ackedByAll(seats.all(), end), envelopeDeadline(today), memoryDeadline(today))
        seats.forgetRemoved(memoryDeadline(today))
        entries.forgetClosed(memoryDeadline(today))
        stash.purge(named, unnamed)
        asks.purge(askDeadline(today))
        outbox.purge(envelopeDeadline(today))
      })
    } catch (error) {
      this.#rows = undefined // as after a batch that failed
      throw error
    }
  }

  /** When to look again: soon while somebody waits, daily while anything ages, else not before something happens. */
  #rest(rows: ChannelRows): void {
    const { log, seats, entries, stash, outbox, asks, tellings } = rows
    const { position: end } = log.standing.last
    const isOwed = [...seats.all()].some((seat) => needsLabel(seat, end))
    if (seats.hasMoved || (isOwed && tellings.upTo < end)) return // SETTLE_MS from when this alarm began
    const isAging = !(log.isEmpty && stash.isEmpty && asks.isEmpty) || seats.hasRemoved || entries.hasClosed
    const next: number[] = []
    if (isOwed) next.push(tellings.againMs)
    if (!outbox.isEmpty) next.push(Math.max(this.#broughtMs + WELCOME_PATIENCE_MS, nowMs() + WELCOME_RETRY_MS))
    if (waiting(rows).length > 0) next.push(nowMs() + TELL_MORE_MS)
    if (isAging) next.push(nowMs() + DAY_MS)
    if (next.length === 0) this.#alarm.clear()
    else this.#alarm.at(Math.min(...next))
  }
}
