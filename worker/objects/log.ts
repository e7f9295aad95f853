import { DurableObject } from 'cloudflare:workers'
import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { labels } from '#core/crypto/labels.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import type { Token } from '#core/wire/ids.ts'
import type { Refusal } from '#core/wire/message.ts'
import type { ArgsOf, Place, ReplyOf } from '#core/wire/operations.ts'
import { type Answer, DONE, overQuota, refuse } from '../answer.ts'
import { DAY_MS, dayOf, nowMs } from '../clock.ts'
import type { Env } from '../env.ts'
import { Bells } from '../log/bells.ts'
import { LogRows, type NewEntry } from '../log/rows.ts'
import { type Watcher, Watchers } from '../log/watchers.ts'
import { isCompactable, isSameVault, judgePlace, judgeVault, loadOf, watchDeadline } from '../rules/log.ts'
import type { Settings } from '../rules/quota.ts'
import { dropKey } from '../secrets.ts'
import { Alarm } from '../storage/alarm.ts'
import { Batch } from '../storage/batch.ts'

type LogLimits = Pick<Settings, 'logBytes'>
type Replaced = { readonly from: number; readonly to: number }

/** How long after an append the alarm makes good what a crash left untold. */
const SETTLE_MS = 10_000
/** Room comes with a compaction, and nobody makes one at once. */
const FULL_WAIT_MS = 60_000

/** One account's sealed history, and the vault that opens its keys (L-01, K-06). Whose they are it does not know. */
export class Log extends DurableObject<Env> {
  readonly #alarm = new Alarm(this.ctx)
  readonly #batch = new Batch(this.ctx.storage, () => this.#alarm.read())
  readonly #watchers = new Watchers(this.ctx.storage.sql)
  readonly #bells = new Bells(this.env, () => this.#watchers)
  /** Up to where watchers were told; on the disk with the next alarm, so that a crash tells some of them twice. */
  #told = 0

  /** LOG1. The signature was checked, with the owner's key that it comes with. */
  open(args: ArgsOf<'log.open'>, mayBegin: boolean): Answer<ReplyOf<'log.open'>> {
    const { owner, vault } = args
    const there = this.#rows()?.vault
    if (there) {
      if (!equalBytes(there.owner, owner)) return refuse('log/exists')
      return isSameVault(there.vault, vault) ? DONE : refuse('vault/lost', { number: there.vault.number })
    }
    if (!mayBegin) return refuse('realm/closed')
    if (vault.number !== 1) return refuse('vault/number')
    this.ctx.storage.transactionSync(() => LogRows.create(this.ctx.storage.sql, args.address, args))
    return DONE
  }

  owner(): Uint8Array | undefined {
    return this.#rows()?.owner
  }

  readVault(): Answer<ReplyOf<'vault.get'>> {
    return { reply: this.#rows()?.vault ?? {} }
  }

  /** LOG2. The owner's signature was checked. A new generation ends what the old token may, from here on. */
  async putVault({ vault, signature, head }: ArgsOf<'vault.put'>): Promise<Answer<ReplyOf<'vault.put'>>> {
    let left: readonly Watcher[] = []
    const answer = await this.#batch.run((): Answer<ReplyOf<'vault.put'>> => {
      left = [] // a batch that failed runs its jobs anew
      const rows = this.#rows()
      if (rows === undefined) return refuse('log/unknown')
      const there = rows.vault.vault
      const verdict = judgeVault(there, vault)
      if (verdict === 'same') return DONE
      if (verdict === 'lost') return refuse('vault/lost', { number: there.number })
      if (verdict === 'generation') return refuse('vault/generation')
      if (vault.generation > there.generation) {
        const refusal = refusePlace(rows.last, head)
        if (refusal) return { refusal }
        left = this.#watchers.all()
        this.#watchers.clear()
      }
      rows.replaceVault(vault, signature)
      return DONE
    })
    // A last time: the account's devices learn the new keys, and one that was shut out learns that (K-07).
    if (left.length > 0) this.ctx.waitUntil(this.#bells.tell(left))
    return answer
  }

  append({ token, after, entries }: ArgsOf<'log.append'>, limits: LogLimits): Promise<Answer<ReplyOf<'log.append'>>> {
    return this.#add(token, after, entries, limits)
  }

  compact(
    { token, after, entry, ...replaced }: ArgsOf<'log.compact'>,
    limits: LogLimits,
  ): Promise<Answer<ReplyOf<'log.compact'>>> {
    return this.#add(token, after, [entry], limits, replaced)
  }

  read({ token, after }: ArgsOf<'log.fetch'>): Answer<ReplyOf<'log.fetch'>> {
    const rows = this.#enter(token)
    if ('refusal' in rows) return rows
    const { last } = rows
    if (after > last.position) return refuse('log/behind', { position: last.position })
    return { reply: { ...rows.after(after), last } }
  }

  readBack({ token, before }: ArgsOf<'log.back'>): Answer<ReplyOf<'log.back'>> {
    const rows = this.#enter(token)
    if ('refusal' in rows) return rows
    const { last } = rows
    return { reply: { ...rows.before(before === 0 ? last.position + 1 : before), last } }
  }

  watch({ token, drop }: ArgsOf<'log.watch'>): Answer<ReplyOf<'log.watch'>> {
    const rows = this.#enter(token)
    if ('refusal' in rows) return rows
    const outcome = this.ctx.storage.transactionSync(() => {
      this.#alarm.within(DAY_MS)
      return this.#watchers.renew(dropKey(this.env), drop, dayOf(nowMs()))
    })
    if (outcome === undefined) return refuse('drop/invalid')
    return outcome === 'full' ? overQuota('watchers', DAY_MS) : DONE
  }

  override async alarm(): Promise<void> {
    this.#alarm.came()
    const rows = this.#rows()
    if (rows === undefined) return
    this.#watchers.purge(watchDeadline(dayOf(nowMs())))
    if (this.#watchers.count === 0) return
    this.#alarm.within(SETTLE_MS) // before the calls below: should this object die in one, the alarm still comes
    if (rows.last.position > Math.max(rows.told, this.#told)) await this.#tell()
    if (this.#told > rows.told) rows.told = this.#told
    if (rows.last.position <= rows.told) this.#alarm.at(nowMs() + DAY_MS)
  }

  async #add(
    token: Token,
    after: Place,
    entries: readonly NewEntry[],
    { logBytes }: LogLimits,
    replaced?: Replaced,
  ): Promise<Answer<{ readonly position: number }>> {
    let added = false
    const answer = await this.#batch.run((): Answer<{ readonly position: number }> => {
      added = false // a batch that failed runs its jobs anew
      const rows = this.#enter(token)
      if ('refusal' in rows) return rows
      const known = rows.positionsOf(entries.map(({ id }) => id))
      if (known.length > 0 && known.length === entries.length) return { reply: { position: Math.max(...known) } } // LOG3
      const { last, load } = rows
      const refusal = refusePlace(last, after)
      if (refusal) return { refusal }
      if (known.length > 0 || hasTwice(entries)) return refuse('log/repeated')
      if (replaced && !isCompactable(last, replaced.from, replaced.to)) return refuse('log/range')
      const freed = replaced ? rows.loadBetween(replaced.from, replaced.to) : 0
      if (load - freed + loadOf(entries) > logBytes) return overQuota('log', FULL_WAIT_MS)
      if (replaced) rows.delete(replaced.from, replaced.to)
      const { position } = rows.append(entries)
      // In the same transaction: whatever becomes of this object, everybody hears of what was appended.
      if (this.#watchers.count > 0) this.#alarm.within(SETTLE_MS)
      added = true
      return { reply: { position } }
    })
    if (added) this.ctx.waitUntil(this.#tell())
    return answer
  }

  async #tell(): Promise<void> {
    if (await this.#bells.ring()) this.#told = this.#rows()?.last.position ?? 0
  }

  #rows(): LogRows | undefined {
    return LogRows.open(this.ctx.storage.sql)
  }

  #enter(token: Token): LogRows | { readonly refusal: Refusal } {
    const rows = this.#rows()
    if (rows === undefined) return refuse('log/unknown')
    return equalBytes(rows.tokenHash, hashToken(labels.logToken, token)) ? rows : refuse('log/refused')
  }
}

/** LOG3: who is behind pulls first; an end with another head is another log. */
function refusePlace(last: Place, after: Place): Refusal | undefined {
  const verdict = judgePlace(last, after)
  if (verdict === 'next') return undefined
  return refuse(`log/${verdict}`, { position: last.position }).refusal
}

function hasTwice(entries: readonly NewEntry[]): boolean {
  return new Set(entries.map(({ id }) => toBase64url(id))).size < entries.length
}
