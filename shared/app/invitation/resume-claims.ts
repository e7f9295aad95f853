import { RelayError, StoreError, UsageError } from '#core/errors.ts'
import type { Deps } from '../deps.ts'
import type { EngineHands } from '../requests.ts'
import { acceptInvitation } from './accept-invitation.ts'

/** Goes on with the claims that a crash or a lost connection left half-way. */
export async function resumeClaims(deps: Deps, hands: Pick<EngineHands, 'turn' | 'kick'>): Promise<void> {
  for (const { key, record } of await deps.store.list('claims')) {
    if (record.offer !== undefined || record.looking) continue
    try {
      await hands.turn(record.channelId, () => acceptInvitation(deps, String(key), record))
      deps.changes.announce({ what: 'channels' })
      hands.kick(record.channelId)
    } catch (error) {
      if (mayPass(error)) throw error
      await deps.store.write([{ delete: 'claims', key }]) // refused for good: whoever asked was told
    }
  }
}

function mayPass(error: unknown): boolean {
  const isFault = error instanceof UsageError || !(error instanceof Error && 'code' in error)
  return isFault || error instanceof StoreError || (error instanceof RelayError && error.retryable)
}
