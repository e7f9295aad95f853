import { equalBytes } from '#core/bytes/equal.ts'
import { INVITATION_MAX_LIFETIME_MS } from '#core/wire/limits.ts'

/** An invitation as the directory keeps it (C-12). `blob` is gone once nobody may have it any more. */
export type Invitation = {
  readonly blob: Uint8Array | undefined
  readonly expiresAtMs: number
  readonly tokenHash: Uint8Array
  readonly claimKey: Uint8Array | undefined
  readonly revoked: boolean
}

const HOUR_MS = 60 * 60 * 1000
/** How long it is still told apart from one that never was. */
export const REMEMBERED_MS = 30 * 24 * HOUR_MS

/** Stored to the hour, later rather than sooner: a lifetime must not tell to the second when it began (T-06). */
export function roundedExpiry(expiresAtMs: number): number {
  return Math.ceil(expiresAtMs / HOUR_MS) * HOUR_MS
}

export function isAllowedLifetime(expiresAtMs: number, nowMs: number): boolean {
  return expiresAtMs > nowMs && expiresAtMs - nowMs <= INVITATION_MAX_LIFETIME_MS + HOUR_MS // clocks differ
}

export type ClaimVerdict = 'first' | 'again' | 'unknown' | 'revoked' | 'expired' | 'used'

/** C-12: once, and to one claim key; that key gets the same answer again, and changes nothing by asking. */
export function judgeClaim(invitation: Invitation | undefined, claimKey: Uint8Array, nowMs: number): ClaimVerdict {
  if (invitation === undefined) return 'unknown'
  if (invitation.revoked) return 'revoked'
  const foreign = invitation.claimKey !== undefined && !equalBytes(invitation.claimKey, claimKey)
  if (foreign) return 'used'
  if (nowMs >= invitation.expiresAtMs || invitation.blob === undefined) return 'expired'
  return invitation.claimKey === undefined ? 'first' : 'again'
}
