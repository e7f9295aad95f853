import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import type { Asker } from '../ports/join-records.ts'
import type { InvitationRecord } from '../ports/records.ts'

/**
 * Whoever claimed an invitation that names a channel is to come in there too, or a person is asked (C-12). In the transaction
 * that uses up the invitation: so it is noted once, whatever comes twice, and a crash loses neither.
 */
export function noteClaimed(
  { clock }: Pick<Deps, 'clock'>,
  draft: Draft,
  key: string,
  { into }: Pick<InvitationRecord, 'into'>,
  person: Asker,
): void {
  if (into === undefined) return
  const { channelId, ask } = into
  const by = { invitation: key }
  draft.put('joins', key, { channelId, by, person, note: '', atMs: clock.now(), state: ask ? 'asked' : 'due' })
}
