import { DurableObject } from 'cloudflare:workers'
import { equalBytes } from '#core/bytes/equal.ts'
import { labels } from '#core/crypto/labels.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import type { InvitationId } from '#core/wire/ids.ts'
import type { ArgsOf, ReplyOf } from '#core/wire/operations.ts'
import { type Answer, DONE, overQuota, refuse } from '../answer.ts'
import { DAY_MS, HOUR_MS, nowMs } from '../clock.ts'
import { Invitations } from '../directory/invitations.ts'
import type { Env } from '../env.ts'
import { isAllowedLifetime, judgeClaim, REMEMBERED_MS, roundedExpiry } from '../rules/invitations.ts'
import { fits, SHARD_BYTES, SHARD_INVITATIONS } from '../rules/quota.ts'
import { Alarm } from '../storage/alarm.ts'

/** One shard of the realm's invitations (C-12). It sees sealed blobs, and neither who invites nor who claims. */
export class Directory extends DurableObject<Env> {
  readonly #alarm = new Alarm(this.ctx.storage)
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

  override alarm(): void {
    this.#alarm.forget()
    this.ctx.storage.transactionSync(() => {
      this.#invitations.purge(nowMs(), nowMs() - REMEMBERED_MS)
      if (!this.#invitations.isEmpty) this.#alarm.within(HOUR_MS)
    })
  }
}
