import { DurableObject } from 'cloudflare:workers'
import { equalBytes } from '#core/bytes/equal.ts'
import { labels } from '#core/crypto/labels.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import type { Address, InvitationId, Token } from '#core/wire/ids.ts'
import type { Refusal } from '#core/wire/message.ts'
import type { ArgsOf, ReplyOf } from '#core/wire/operations.ts'
import { type Answer, DONE, overQuota, refuse } from '../answer.ts'
import { DAY_MS, dayOf, HOUR_MS, nowMs } from '../clock.ts'
import { Invitations } from '../directory/invitations.ts'
import { type Ask, type Name, Names } from '../directory/names.ts'
import type { Env } from '../env.ts'
import { isAllowedLifetime, judgeClaim, REMEMBERED_MS, roundedExpiry } from '../rules/invitations.ts'
import { askDeadline, MAX_WAITING_ASKS, SHARD_NAMES } from '../rules/names.ts'
import { fits, SHARD_BYTES, SHARD_INVITATIONS } from '../rules/quota.ts'
import { Alarm } from '../storage/alarm.ts'

/** What one answer shows of the requests that wait. */
const SHOWN_ASKS = 8

/**
 * One shard of the realm's invitations (C-12) or of its channel names (C-09). It sees sealed blobs, and neither who
 * invites or asks nor who claims or answers.
 */
export class Directory extends DurableObject<Env> {
  readonly #alarm = new Alarm(this.ctx)
  readonly #invitations = new Invitations(this.ctx.storage.sql)

  put({ id, blob, expiresAtMs, tokenHash }: ArgsOf<'invitation.put'>): Answer<ReplyOf<'invitation.put'>> {
    const there = this.#invitations.at(id)
    if (there) return equalBytes(there.tokenHash, tokenHash) ? DONE : refuse('invitation/exists')
    if (!isAllowedLifetime(expiresAtMs, nowMs())) return refuse('invitation/lifetime')
    const room = { count: SHARD_INVITATIONS, bytes: SHARD_BYTES }
    if (!fits(this.#invitations.load, { count: 1, bytes: blob.length }, room)) return overQuota('invitations', DAY_MS)
    this.ctx.storage.transactionSync(() => {
      this.#invitations.put(id, blob, roundedExpiry(expiresAtMs), tokenHash)
      this.#alarm.within(HOUR_MS)
    })
    return DONE
  }

  /** @param claimKey whose signature over the claim was checked */
  claim(id: InvitationId, claimKey: Uint8Array): Answer<ReplyOf<'invitation.claim'>> {
    const invitation = this.#invitations.at(id)
    const verdict = judgeClaim(invitation, claimKey, nowMs())
    if (invitation?.blob === undefined || (verdict !== 'first' && verdict !== 'again')) {
      return refuse(`invitation/${verdict}`)
    }
    if (verdict === 'first') this.#invitations.bind(id, claimKey)
    return { reply: { blob: invitation.blob } }
  }

  revoke({ id, token }: ArgsOf<'invitation.revoke'>): Answer<ReplyOf<'invitation.revoke'>> {
    const invitation = this.#invitations.at(id)
    if (invitation === undefined) return refuse('invitation/unknown')
    if (!equalBytes(invitation.tokenHash, hashToken(labels.invitationToken, token))) return refuse('invitation/refused')
    if (invitation.claimKey !== undefined) return refuse('invitation/used')
    this.#invitations.revoke(id)
    return DONE
  }

  /** NAM2: a name is its first token's for good. */
  registerName(address: Address, name: Name): Answer<ReplyOf<'name.register'>> {
    const there = this.#names?.at(address)
    if (there) {
      const isSame = equalBytes(there.tokenHash, name.tokenHash) && equalBytes(there.joinKey, name.joinKey)
      return isSame ? DONE : refuse('name/exists')
    }
    if ((this.#names?.count ?? 0) >= SHARD_NAMES) return overQuota('names', DAY_MS)
    this.ctx.storage.transactionSync(() => Names.openOrCreate(this.ctx.storage.sql).add(address, name))
    return DONE
  }

  findName(address: Address): Answer<ReplyOf<'name.find'>> {
    const name = this.#names?.at(address)
    return { reply: name ? { joinKey: name.joinKey } : {} }
  }

  /** NAM3. */
  askName(address: Address, ask: Ask): Answer<ReplyOf<'name.ask'>> {
    const names = this.#names
    if (names?.at(address) === undefined) return refuse('name/unknown')
    const there = names.askAt(address, ask.id)
    if (there !== undefined) return there === 'settled' || equalBytes(there, ask.request) ? DONE : refuse('name/asked')
    if (names.waiting(address) >= MAX_WAITING_ASKS) return overQuota('asks', DAY_MS)
    this.ctx.storage.transactionSync(() => {
      names.ask(address, ask, dayOf(nowMs()))
      this.#alarm.within(HOUR_MS)
    })
    return DONE
  }

  askedName(address: Address, token: Token): Answer<ReplyOf<'name.asked'>> {
    const names = this.#ownedNames(address, token)
    if ('refusal' in names) return names
    const asks = names.asked(address, SHOWN_ASKS + 1)
    return { reply: { requests: asks.slice(0, SHOWN_ASKS), more: asks.length > SHOWN_ASKS } }
  }

  settleName(address: Address, token: Token, id: Uint8Array): Answer<ReplyOf<'name.settle'>> {
    const names = this.#ownedNames(address, token)
    if ('refusal' in names) return names
    names.settle(address, id)
    return DONE
  }

  override alarm(): void {
    this.#alarm.came()
    this.ctx.storage.transactionSync(() => {
      this.#invitations.purge(nowMs(), nowMs() - REMEMBERED_MS)
      this.#names?.purge(askDeadline(dayOf(nowMs())))
      if (!this.#invitations.isEmpty || this.#names?.hasAsks) this.#alarm.within(HOUR_MS)
    })
  }

  get #names(): Names | undefined {
    return Names.open(this.ctx.storage.sql)
  }

  #ownedNames(address: Address, token: Token): Names | { readonly refusal: Refusal } {
    const names = this.#names
    const name = names?.at(address)
    if (names === undefined || name === undefined) return refuse('name/unknown')
    return equalBytes(name.tokenHash, hashToken(labels.nameToken, token)) ? names : refuse('name/refused')
  }
}
