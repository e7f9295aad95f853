import { verifyHead } from '#core/identity/merkle.ts'
import type { SignedHead } from '#core/identity/two-logs.ts'
import type { LogHead } from '#core/message/body.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import type { TransparencyRecord } from '../ports/records.ts'
import { type Wrong, wrong } from './alarms.ts'
import { askProof } from './ask-proof.ts'

type Shown = { readonly by: AccountId; readonly ours: SignedHead; readonly theirs: LogHead }

/**
 * Somebody was shown another log than this device (TRC4). Where the realm has signed both heads, they are kept, with the path by
 * which its own log says what it had at the smaller size: then it is not one member's word against the realm's any more (TRC12).
 */
export async function splitView(
  { relay }: Pick<Deps, 'relay'>,
  { listKey }: Pick<TransparencyRecord, 'listKey'>,
  { by, ours, theirs: { size, root, signature } }: Shown,
): Promise<Wrong> {
  const found = wrong('split-view', by, { size, root })
  if (listKey === undefined || signature === undefined) return found
  if (!(await verifyHead({ size, root }, signature, listKey))) return found
  const isSmaller = size < ours.size
  const proof = isSmaller && (await askProof(relay.call('transparency.growth', { from: size, to: ours.size })))
  return { ...found, twoLogs: { ours, theirs: { size, root, signature }, path: proof ? proof.path : [] } }
}
