import { DurableObject } from 'cloudflare:workers'
import { equalBytes } from '#core/bytes/equal.ts'
import { labels as domain } from '#core/crypto/labels.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import type { Token, WakeLabel } from '#core/wire/ids.ts'
import { encodePush, type Refusal } from '#core/wire/message.ts'
import type { ArgsOf, ReplyOf } from '#core/wire/operations.ts'
import { type Answer, DONE, refuse } from '../answer.ts'
import { DAY_MS, dayOf, nowMs } from '../clock.ts'
import { sealDrop } from '../drops.ts'
import type { Env } from '../env.ts'
import { MailboxRows } from '../mailbox/rows.ts'
import { fits, MAILBOX_BYTES, MAILBOX_ITEMS, MAILBOX_LABELS } from '../rules/quota.ts'
import { envelopeDeadline, memoryDeadline } from '../rules/retention.ts'
import { dropKey } from '../secrets.ts'
import { Alarm } from '../storage/alarm.ts'

type Key = { readonly token: Token }

/**
 * One device's mailbox: welcomes, and the labels of channels that have news. It knows no channel's address, and its
 * labels are nowhere else in the clear (T-06).
 */
export class Mailbox extends DurableObject<Env> {
  readonly #alarm = new Alarm(this.ctx)
  #rows: MailboxRows | undefined

  open({ tokenHash, closer }: Pick<ArgsOf<'mailbox.open'>, 'tokenHash' | 'closer'>): Answer<ReplyOf<'mailbox.open'>> {
    const there = this.#open()
    if (there) {
      const isOther = closer !== undefined && there.closer !== undefined && !equalBytes(closer, there.closer)
      if (isOther || !equalBytes(there.tokenHash, tokenHash)) return refuse('mailbox/exists')
      if (there.isClosed) return refuse('mailbox/closed')
      if (closer !== undefined && there.closer === undefined) there.letClose(closer)
      return DONE
    }
    this.ctx.storage.transactionSync(() => MailboxRows.create(this.ctx.storage.sql, tokenHash, closer))
    return DONE
  }

  /** K-07: by the closer's token, which another device of the account holds, or by one's own. */
  close({ token }: Key): Answer<ReplyOf<'mailbox.close'>> {
    const rows = this.#open()
    if (rows === undefined) return refuse('mailbox/unknown')
    const hash = hashToken(domain.mailboxToken, token)
    const may = equalBytes(rows.tokenHash, hash) || (rows.closer !== undefined && equalBytes(rows.closer, hash))
    if (!may) return refuse('mailbox/refused')
    if (!rows.isClosed) this.ctx.storage.transactionSync(() => rows.close())
    return DONE
  }

  attach({ token, session }: Key & { readonly session: string }): Answer<ReplyOf<'mailbox.attach'>> {
    const rows = this.#enter(token)
    if ('refusal' in rows) return rows
    rows.attach(session)
    return DONE
  }

  read({ token, after }: Key & { readonly after: number }): Answer<ReplyOf<'mailbox.fetch'>> {
    const rows = this.#enter(token)
    if ('refusal' in rows) return rows
    return { reply: { ...rows.itemsAfter(after), labels: rows.seeLabels() } }
  }

  ack({ token, upTo, labels }: Key & Pick<ArgsOf<'mailbox.ack'>, 'upTo' | 'labels'>): Answer<ReplyOf<'mailbox.ack'>> {
    const rows = this.#enter(token)
    if ('refusal' in rows) return rows
    this.ctx.storage.transactionSync(() => {
      rows.dropItems(upTo)
      for (const label of labels) rows.dropLabel(label)
    })
    return DONE
  }

  drop({ address, token, label }: ArgsOf<'mailbox.drop'>): Answer<ReplyOf<'mailbox.drop'>> {
    const rows = this.#enter(token)
    if ('refusal' in rows) return rows
    return { reply: { drop: sealDrop(dropKey(this.env), { mailbox: address, label }) } }
  }

  /** What `put` would come to: asked before an item is sent that may have waited for room since weeks. */
  roomFor(id: Uint8Array, bytes: number): 'free' | 'taken' | 'full' | 'unknown' {
    const rows = this.#open()
    if (rows === undefined || rows.isClosed) return 'unknown'
    if (rows.knowsItem(id)) return 'taken'
    const most = { count: MAILBOX_ITEMS, bytes: MAILBOX_BYTES }
    return fits(rows.load, { count: 1, bytes }, most) ? 'free' : 'full'
  }

  /** From a channel's outbox. Taken twice, it is one item. */
  async put(id: Uint8Array, envelope: Uint8Array): Promise<'taken' | 'full' | 'unknown'> {
    const rows = this.#open()
    if (rows === undefined) return 'unknown'
    const room = this.roomFor(id, envelope.length)
    if (room !== 'free') return room
    const n = this.ctx.storage.transactionSync(() => {
      this.#alarm.within(DAY_MS)
      return rows.addItem(id, envelope, dayOf(nowMs()))
    })
    await this.#push(rows, encodePush('mail', { item: { n, envelope } }))
    return 'taken'
  }

  /**
   * From a channel: `push` goes to the connected session, and then nothing is stored unless `store` asks for it; else
   * the label is. DRP4: a label lies here once, however often it is woken.
   * @returns 'live' when somebody was there to hear of it
   */
  async wake(label: WakeLabel, push: Uint8Array, store: boolean): Promise<'live' | 'stored' | 'unknown'> {
    const rows = this.#open()
    if (rows === undefined || rows.isClosed) return 'unknown'
    const live = await this.#push(rows, push)
    if (live && !store) return 'live'
    if (rows.hasLabel(label) || rows.labels < MAILBOX_LABELS) {
      this.ctx.storage.transactionSync(() => {
        this.#alarm.within(DAY_MS)
        rows.addLabel(label, live, dayOf(nowMs()))
      })
    }
    return live ? 'live' : 'stored'
  }

  override alarm(): void {
    this.#alarm.came()
    const rows = this.#open()
    if (rows === undefined) return
    const today = dayOf(nowMs())
    this.ctx.storage.transactionSync(() => {
      rows.purge(envelopeDeadline(today), memoryDeadline(today))
      if (!rows.isEmpty) this.#alarm.within(DAY_MS)
    })
  }

  #open(): MailboxRows | undefined {
    this.#rows ??= MailboxRows.open(this.ctx.storage.sql)
    return this.#rows
  }

  #enter(token: Token): MailboxRows | { readonly refusal: Refusal } {
    const rows = this.#open()
    if (rows === undefined) return refuse('mailbox/unknown')
    if (!equalBytes(rows.tokenHash, hashToken(domain.mailboxToken, token))) return refuse('mailbox/refused')
    return rows.isClosed ? refuse('mailbox/closed') : rows
  }

  /** @returns whether a connected session took it. One that is gone is forgotten. */
  async #push(rows: MailboxRows, bytes: Uint8Array): Promise<boolean> {
    const session = rows.attached
    if (session === undefined) return false
    let taken = false
    try {
      taken = await this.env.SESSION.get(this.env.SESSION.idFromString(session)).push(bytes)
    } catch {
      // An object that can't be reached is a connection that is gone.
    }
    if (!taken && rows.attached === session) rows.detach()
    return taken
  }
}
