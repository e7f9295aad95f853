import { equalBytes } from '#core/bytes/equal.ts'
import { MESSAGE_ID_BYTES, type MessageId } from '#core/wire/ids.ts'
import type { Loaded } from '../channel/loaded.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import type { AccountRecord, Seam } from '../ports/records.ts'
import { addLine } from './lines.ts'
import { queueBodies } from './queue-bodies.ts'

type Returned = Pick<Loaded, 'id' | 'channel' | 'sync'>
type Stretch = { readonly after: number; readonly upTo: number }

/**
 * This device came in at `upTo` and has what was sent up to `after`: it asks the others for their own messages of in between
 * (SEAM1), and a line says that something may be missing until all have answered. What the own account said there comes
 * with its log.
 */
export async function openSeam(
  deps: Pick<Deps, 'dice' | 'clock'>,
  draft: Draft,
  returned: Returned,
  own: AccountRecord,
  { after: appliedUpTo, upTo }: Stretch,
): Promise<Returned> {
  const { id, sync } = returned
  const since = sync.accounts.find(({ account }) => equalBytes(account, own.account))?.since ?? upTo
  const after = Math.max(appliedUpTo, since)
  const waiting = sync.accounts.map(({ account }) => account).filter((account) => !equalBytes(account, own.account))
  if (after >= upTo - 1 || waiting.length === 0) return returned
  const ask = deps.dice(MESSAGE_ID_BYTES) as MessageId
  await queueBodies(deps, draft, id, [{ kind: 'ask', id: ask, after, upTo }])
  const line = { kind: 'notice', notice: 'gap', name: '', messageId: ask, atMs: deps.clock.now() } as const
  const channel = await addLine(draft, returned, upTo, line)
  return { id, channel, sync: { ...sync, seams: [...(sync.seams ?? []), { ask, after, upTo, waiting }] } }
}

/** Nothing is missing there any more: the line that said so goes. */
export async function closeSeam(draft: Draft, id: string, { upTo }: Seam): Promise<void> {
  const line = await draft.get('lines', [id, upTo])
  if (line?.kind === 'notice' && line.notice === 'gap') draft.delete('lines', [id, upTo])
}
