import { DurableObject } from 'cloudflare:workers'
import { equalBytes } from '#core/bytes/equal.ts'
import { LINK_LIFETIME_MS } from '#core/wire/limits.ts'
import type { ArgsOf, ReplyOf } from '#core/wire/operations.ts'
import { type Answer, DONE, refuse } from '../answer.ts'
import { nowMs } from '../clock.ts'
import type { Env } from '../env.ts'
import { LinkRows } from '../link/rows.ts'
import { Alarm } from '../storage/alarm.ts'

/** Where two devices of one account meet (K-05). It passes on eight slots, and opens none of them. */
export class Rendezvous extends DurableObject<Env> {
  readonly #alarm = new Alarm(this.ctx)

  /** LNK1: a slot is written once. */
  put({ slot, bytes }: ArgsOf<'link.put'>): Answer<ReplyOf<'link.put'>> {
    const there = this.#open()
    const before = there?.at(slot)
    if (before) return equalBytes(before, bytes) ? DONE : refuse('link/taken')
    this.ctx.storage.transactionSync(() => {
      const untilMs = nowMs() + LINK_LIFETIME_MS
      const rows = there ?? LinkRows.create(this.ctx.storage.sql, untilMs)
      if (there === undefined) this.#alarm.at(untilMs)
      rows.put(slot, bytes)
    })
    return DONE
  }

  read({ slot }: ArgsOf<'link.get'>): Answer<ReplyOf<'link.get'>> {
    const bytes = this.#open()?.at(slot)
    return { reply: bytes ? { bytes } : {} }
  }

  override alarm(): void {
    this.#alarm.came()
    const rows = this.#open()
    if (rows) this.#alarm.at(rows.untilMs)
  }

  /** LNK13: an alarm may be late, the end is not. */
  #open(): LinkRows | undefined {
    const rows = LinkRows.open(this.ctx.storage.sql)
    if (rows === undefined || nowMs() < rows.untilMs) return rows
    this.ctx.storage.transactionSync(() => rows.delete())
    return undefined
  }
}
