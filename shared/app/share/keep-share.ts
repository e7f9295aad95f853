import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import type { ShareRecord } from '../ports/share-records.ts'
import type { RowKey } from '../ports/store.ts'
import type { EngineHands } from '../requests.ts'
import { channelIn } from './share-keys.ts'

export type ShareHands = Pick<EngineHands, 'turn' | 'kick' | 'logNoted'>

/**
 * One step of a share, in the channel's turn and in one transaction: it is done on the record as it is now.
 * @returns the record afterwards; undefined when the share is done, or was taken back by the person meanwhile
 */
export function stepShare<R extends ShareRecord>(
  deps: Deps,
  hands: ShareHands,
  key: RowKey,
  step: (draft: Draft, record: R) => Promise<R | undefined>,
): Promise<R | undefined> {
  return hands.turn(channelIn(key), async () => {
    const record = (await deps.store.get('shares', key)) as R | undefined
    if (record === undefined) return undefined
    const draft = new Draft(deps.store)
    const next = await step(draft, record)
    if (next === undefined) draft.delete('shares', key)
    else draft.put('shares', key, next)
    await draft.commit()
    deps.changes.announce({ what: 'work' })
    return next
  })
}

/** It ends here, and the person hears why; what came so far stays. */
export async function failShare(deps: Deps, hands: ShareHands, key: RowKey, code: string): Promise<void> {
  await stepShare(deps, hands, key, async (_draft, record) => ({ ...record, failed: code }) as ShareRecord)
}
