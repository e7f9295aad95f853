import { labels } from '#core/crypto/labels.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import { RelayError } from '#core/errors.ts'
import type { TokenHash } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import type { InvitationRecord } from '../ports/records.ts'

/** Brings the realm up to date with the invitations of this device: new blobs there, revoked ones gone. */
export async function publishInvitations(deps: Deps): Promise<void> {
  for (const { key, record } of await deps.store.list('invitations')) {
    if (record.state === 'revoked') {
      // Also when it was never known to be published: the answer to that may be what was lost.
      await revoke(deps, record)
      await deps.store.write([{ delete: 'invitations', key }])
    } else if (record.state === 'open' && !record.published && record.expiresAtMs > deps.clock.now()) {
      const { id, blob, expiresAtMs } = record
      const tokenHash = hashToken(labels.invitationToken, record.token) as TokenHash
      await deps.relay.call('invitation.put', { id, blob, expiresAtMs, tokenHash })
      await deps.store.write([{ put: 'invitations', key, record: { ...record, published: true } }])
    }
  }
}

async function revoke(deps: Deps, { id, token }: Pick<InvitationRecord, 'id' | 'token'>): Promise<void> {
  try {
    await deps.relay.call('invitation.revoke', { id, token })
  } catch (error) {
    // Gone already, or used in the meantime: either way it can't be used from here on.
    if (!(error instanceof RelayError) || error.retryable) throw error
  }
}
