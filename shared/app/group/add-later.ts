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
    const looked = await lookFor(deps, hands, id, record, record.later)
    const later = await hands.turn(id, () => putLater(deps, id, looked))
    hands.kick(id)
    for (const { notBeforeMs } of later) againAtMs = Math.min(againAtMs ?? notBeforeMs, notBeforeMs)
  }
  return { againAtMs }
}

/** What became of one who was looked for: asked for again, or let go. */
type Looked = { readonly was: Later; readonly next?: Later }

async function lookFor(
  deps: Deps,
  hands: Pick<EngineHands, 'turn'>,
  id: string,
  sync: SyncRecord,
  later: readonly Later[],
): Promise<readonly Looked[]> {
  const suite = (await deps.store.get('channels', id))?.suite ?? DEFAULT_SUITE
  const looked: Looked[] = []
  for (const was of later) {
    const nowMs = deps.clock.now()
    const contact = (await findContact(deps.store, was.account))?.record
    const isOver = nowMs >= was.untilMs || placeOf(sync, was.account) !== undefined
    if (isOver || contact === undefined || contact.blocked?.is) {
      looked.push({ was })
      continue
    }
    if (nowMs < was.notBeforeMs) continue
    const offer = await takePackages(deps, (name, task) => hands.turn(name, task), contact, suite)
    const next = { ...was, notBeforeMs: nextMs(deps) }
    const outcome =
      offer === undefined ? 'later' : await add(hands, id, () => addPeople(deps, id, { taken: [offer], missing: [] }))
    if (outcome === 'never') return later.map((one) => ({ was: one }))
    looked.push(outcome === 'later' ? { was, next } : { was })
  }
  return looked
}

/** never: this account may not add anybody any more. */
async function add(
  hands: Pick<EngineHands, 'turn'>,
  id: string,
  task: () => Promise<void>,
): Promise<'added' | 'later' | 'never'> {
  try {
    await hands.turn(id, task)
    return 'added'
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.code === 'group/too-many' ? 'later' : 'never' // others may go meanwhile
  }
}

/** Of the list as it is now: whoever was added to it since was not looked for. */
async function putLater({ store }: Deps, id: string, looked: readonly Looked[]): Promise<readonly Later[]> {
  const sync = await store.get('syncs', id)
  if (sync === undefined) return []
  const { later: now = [], ...others } = sync
  const later = now.flatMap((one) => {
    const found = looked.find(({ was }) => isSame(was, one))
    return found === undefined ? [one] : (found.next ?? [])
  })
  const draft = new Draft(store)
  draft.put('syncs', id, later.length === 0 ? others : { ...others, later })
  await draft.commit()
  return later
}

function isSame(a: Later, b: Later): boolean {
  return equalBytes(a.account, b.account) && a.untilMs === b.untilMs && a.notBeforeMs === b.notBeforeMs
}
