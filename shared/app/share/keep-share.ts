import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import type { IncomingShare, OutgoingShare, Postponed, ShareRecord } from '../ports/share-records.ts'
import type { RowKey } from '../ports/store.ts'
import type { EngineHands } from '../requests.ts'
import { channelIn } from './share-keys.ts'

const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 60 * 60_000

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

/** Tried again by itself, as late as the relay says or later each time: not after every message that comes. */
export async function postponeShare(deps: Deps, hands: ShareHands, key: RowKey, waitMs: number): Promise<void> {
  await stepShare<OutgoingShare | IncomingShare>(deps, hands, key, async (_draft, record) => {
    const times = (record.postponed?.times ?? 0) + 1
    return { ...record, postponed: postponed(deps, times, waitMs) }
  })
}

export function postponed({ clock }: Pick<Deps, 'clock'>, times: number, waitMs = 0): Postponed {
  const delayMs = waitMs > 0 ? waitMs : Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (times - 1))
  return { times, notBeforeMs: clock.now() + delayMs }
}
