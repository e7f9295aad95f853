import { equalBytes } from '#core/bytes/equal.ts'
import { InputError } from '#core/errors.ts'
import { placeOf } from '#core/message/roster.ts'
import { DEFAULT_SUITE } from '#core/mls/index.ts'
import type { AccountId } from '#core/wire/ids.ts'
import { spread } from '../channel/spread.ts'
import { findContact } from '../contact/find-contact.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { takePackages } from '../packages/take-packages.ts'
import type { Later, SyncRecord } from '../ports/records.ts'
import type { EngineHands } from '../requests.ts'
import { addPeople } from './change-group.ts'

const HOUR_MS = 60 * 60 * 1000
/** For how long somebody who could not be added is asked for again (GRP7). */
const FOR_MS = 7 * 24 * HOUR_MS

export function laterOf(
  deps: Pick<Deps, 'clock' | 'dice'>,
  missing: readonly AccountId[],
  before: readonly Later[] = [],
): readonly Later[] {
  const others = before.filter((one) => !missing.some((account) => equalBytes(account, one.account)))
  const nowMs = deps.clock.now()
  return [...others, ...missing.map((account) => ({ account, notBeforeMs: nextMs(deps), untilMs: nowMs + FOR_MS }))]
}

function nextMs(deps: Pick<Deps, 'clock' | 'dice'>): number {
  return deps.clock.now() + HOUR_MS + spread(deps, HOUR_MS)
}

/**
 * Asks again for people who had left nothing by which to add them. Runs in no channel's turn: what is found waits for one.
 * @returns when to come again
 */
export async function addLater(
  deps: Deps,
  hands: Pick<EngineHands, 'turn' | 'kick'>,
): Promise<{ readonly againAtMs: number | undefined }> {
  let againAtMs: number | undefined
  for (const { key, record } of await deps.store.list('syncs')) {
    if (record.later === undefined || record.later.length === 0) continue
    const id = String(key)
    const later = await stillMissing(deps, hands, id, record, record.later)
    await hands.turn(id, () => putLater(deps, id, later))
    hands.kick(id)
    for (const { notBeforeMs } of later) againAtMs = Math.min(againAtMs ?? notBeforeMs, notBeforeMs)
  }
  return { againAtMs }
}

async function stillMissing(
  deps: Deps,
  hands: Pick<EngineHands, 'turn'>,
  id: string,
  sync: SyncRecord,
  later: readonly Later[],
): Promise<readonly Later[]> {
  const suite = (await deps.store.get('channels', id))?.suite ?? DEFAULT_SUITE
  const left: Later[] = []
  for (const one of later) {
    const nowMs = deps.clock.now()
    if (nowMs >= one.untilMs || placeOf(sync, one.account) !== undefined) continue
    const contact = await findContact(deps.store, one.account)
    if (contact === undefined || contact.record.blocked?.is) continue
    if (nowMs < one.notBeforeMs) {
      left.push(one)
      continue
    }
    const offer = await takePackages(deps, (name, task) => hands.turn(name, task), contact.record, suite)
    if (offer === undefined) left.push({ ...one, notBeforeMs: nextMs(deps) })
    else if (!(await mayAdd(hands, id, () => addPeople(deps, id, { taken: [offer], missing: [] })))) return []
  }
  return left
}

/** @returns false where this account may not add anybody any more */
async function mayAdd(hands: Pick<EngineHands, 'turn'>, id: string, add: () => Promise<void>): Promise<boolean> {
  try {
    await hands.turn(id, add)
    return true
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return false
  }
}

async function putLater({ store }: Deps, id: string, later: readonly Later[]): Promise<void> {
  const sync = await store.get('syncs', id)
  if (sync === undefined) return
  const { later: _, ...others } = sync
  const draft = new Draft(store)
  draft.put('syncs', id, later.length === 0 ? others : { ...others, later })
  await draft.commit()
}
