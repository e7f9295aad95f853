import { equalBytes } from '#core/bytes/equal.ts'
import type { ClaimedManifest } from '#core/message/body.ts'
import { accountOf, settleManifest } from '../account/settle-manifest.ts'
import type { Deps } from '../deps.ts'
import type { TransparencyRecord } from '../ports/records.ts'
import { claimOf, compareManifest } from './compare-manifest.ts'

const KEPT = 32

/** The account's manifests that this device had, with the one that it has now. */
export async function noteOwn(deps: Pick<Deps, 'store'>, record: TransparencyRecord): Promise<TransparencyRecord> {
  const now = claimOf(await accountOf(deps))
  if (record.own.at(-1)?.sequence === now.sequence) return record
  return { ...record, own: [...record.own, now].slice(-KEPT) }
}

/**
 * What somebody was shown of this account (TRC6). The directory shows the account's own devices at least as much, and its
 * root signs one of each number: else somebody has the root, or the directory keeps something from this device.
 * @returns whether it is so; and whether this device learnt of a newer one by asking
 */
export async function compareOwn(
  deps: Deps,
  { own }: Pick<TransparencyRecord, 'own'>,
  said: ClaimedManifest,
): Promise<{ readonly isRight: boolean; readonly isNews: boolean }> {
  const known = claimOf(await accountOf(deps))
  if (compareManifest(known, said) !== 'ahead') return { isRight: isOneOf([...own, known], said), isNews: false }
  await settleManifest(deps)
  const now = claimOf(await accountOf(deps))
  const isRight = compareManifest(now, said) !== 'ahead' && isOneOf([now], said)
  return { isRight, isNews: now.sequence !== known.sequence }
}

/** One that this device never had, it can't say anything of. */
function isOneOf(own: readonly ClaimedManifest[], said: ClaimedManifest): boolean {
  return own.every(({ sequence, hash }) => sequence !== said.sequence || equalBytes(hash, said.hash))
}
