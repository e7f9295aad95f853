import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { spread } from '../channel/spread.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { hasRoom } from '../group/check-room.ts'
import { withName } from '../group/note-left.ts'
import { wantPeople } from '../group/take-for.ts'
import { takePackages } from '../packages/take-packages.ts'
import type { JoinRecord, JoinState } from '../ports/join-records.ts'
import type { OfferRecord } from '../ports/records.ts'
import type { EngineHands } from '../requests.ts'
import { makeApart } from './apart.ts'
import { sendAsks } from './ask-to-join.ts'
import { giveKeys } from './give-keys.ts'
import { keptNames, lookForAsks } from './look-for-asks.ts'
import { mayComeIn } from './may-come-in.ts'
import { registerNames } from './register-names.ts'
import { settleAsks } from './settle-asks.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const KEY_BYTES = 9
/** Who has left no key packages: looked for often at first, and for a fortnight in all. */
const OFTEN_FOR_MS = 10 * MINUTE_MS
const OFTEN_MS = MINUTE_MS / 2
const GIVE_UP_AFTER_MS = 14 * 24 * HOUR_MS

const LOOK_EVERY_MS = 15 * MINUTE_MS

type Hands = Pick<EngineHands, 'turn' | 'kick'>

/**
 * Brings everybody in who is to come into a channel, as far as it can go now. Each step is one transaction and safe to repeat, so that a
 * crash or a lost answer goes on where it stopped; what a step finds changed since ends it. Runs in the turn 'joins'.
 * @param look whether the relay is asked who waits to be let in as well
 * @returns when to go on, and when to look again, where nothing else tells
 */
export async function goOnWithJoins(
  deps: Deps,
  hands: Hands,
  look: boolean,
): Promise<{ readonly againAtMs?: number; readonly lookAtMs?: number }> {
  let againAtMs: number | undefined
  const later = (atMs: number | undefined): void => {
    againAtMs = earlier(againAtMs, atMs)
  }
  const apart = makeApart(deps.clock, later)
  await sendAsks(deps, turnOnly(hands), apart)
  if (look && (await lookForAsks(deps, turnOnly(hands), apart))) deps.changes.announce({ what: 'channels' })
  for (const { key, record } of await deps.store.list('joins')) {
    const after = (await apart(() => goOn(deps, hands, String(key), record))) ?? record
    if (after.state === 'due') later(after.tryAtMs)
    if (after !== record) for (const what of ['invitations', 'channels'] as const) deps.changes.announce({ what })
  }
  await settleAsks(deps, apart)
  await registerNames(deps, turnOnly(hands), apart)
  const kept = await keptNames(deps)
  for (const { channelId } of kept) later(await apart(() => giveKeys(deps, hands, channelId)))
  const lookAtMs = deps.clock.now() + LOOK_EVERY_MS / 2 + spread(deps, LOOK_EVERY_MS)
  return { ...(againAtMs === undefined ? {} : { againAtMs }), ...(look && kept.length > 0 ? { lookAtMs } : {}) }
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)
}

async function goOn(deps: Deps, hands: Hands, key: string, record: JoinRecord): Promise<JoinRecord> {
  switch (record.state) {
    case 'due':
      return begin(deps, hands, key, record)
    case 'wanted':
      return follow(deps, hands, key, record)
    default:
      return record
  }
}

/** Key packages are taken first, which takes a while and no turn; then it is looked at again, and wanted. */
async function begin(deps: Deps, hands: Hands, key: string, record: JoinRecord): Promise<JoinRecord> {
  const { channelId, person } = record
  const nowMs = deps.clock.now()
  if ((record.tryAtMs ?? 0) > nowMs) return record
  const verdict = await hands.turn(channelId, () => mayComeIn(deps, record))
  if (verdict.may === 'later') return record
  if (verdict.may === 'in') return put(deps, key, record, { state: 'in' })
  if (verdict.may === 'ask') return put(deps, key, record, { state: 'asked' })
  if (verdict.may === 'no') return put(deps, key, record, { state: 'failed', why: verdict.why })
  if (isWanted(verdict.loaded.sync, record)) return put(deps, key, record, { state: 'wanted' }) // somebody here was faster
  const taken = await takePackages(deps, turnOnly(hands).turn, person, verdict.loaded.group.suite)
  if (taken !== undefined) return hands.turn(channelId, () => want(deps, hands, key, record, taken))
  const sinceMs = nowMs - record.atMs
  if (sinceMs >= GIVE_UP_AFTER_MS) return put(deps, key, record, { state: 'failed', why: 'join/unreachable' })
  const tryAtMs = nowMs + (sinceMs < OFTEN_FOR_MS ? OFTEN_MS : HOUR_MS)
  return put(deps, key, { ...record, tryAtMs }, { state: 'due' })
}

/** One transaction: either it is wanted and said so, or nothing was done. */
async function want(
  deps: Deps,
  hands: Hands,
  key: string,
  record: JoinRecord,
  taken: OfferRecord,
): Promise<JoinRecord> {
  const verdict = await mayComeIn(deps, record)
  if (verdict.may === 'later') return record
  if (verdict.may === 'in') return put(deps, key, record, { state: 'in' })
  if (verdict.may === 'ask') return put(deps, key, record, { state: 'asked' })
  if (verdict.may === 'no') return put(deps, key, record, { state: 'failed', why: verdict.why })
  if (!hasRoom(verdict.loaded, [taken])) return put(deps, key, record, { state: 'failed', why: 'join/full' })
  const { id, sync, channel } = verdict.loaded
  const draft = new Draft(deps.store)
  if (!isWanted(sync, record)) {
    const more = wantPeople(draft, [taken], () => toBase64url(deps.dice(KEY_BYTES)))
    draft.put('syncs', id, { ...sync, wanted: [...sync.wanted, ...more] })
    draft.put('channels', id, withName(channel, record.person.account, record.person.name))
  }
  const next: JoinRecord = { ...plain(record), state: 'wanted' }
  draft.put('joins', key, next)
  await draft.commit()
  hands.kick(id)
  return next
}

/**
 * Wanted once is not wanted again by itself: who was brought in and taken out since, by whomever, must not come back by this.
 */
async function follow(deps: Deps, hands: Hands, key: string, record: JoinRecord): Promise<JoinRecord> {
  const { channelId } = record
  const sync = await deps.store.get('syncs', channelId)
  if (sync !== undefined && isWanted(sync, record)) return record
  const verdict = await hands.turn(channelId, () => mayComeIn(deps, record))
  if (verdict.may === 'later') return record
  if (verdict.may === 'in') return put(deps, key, record, { state: 'in' })
  return put(deps, key, record, { state: 'failed', why: verdict.may === 'no' ? verdict.why : 'join/not-added' })
}

/** By itself, so that it can be handed on. */
function turnOnly(hands: Hands): Pick<Hands, 'turn'> {
  return { turn: (name, task) => hands.turn(name, task) }
}

type Wanting = { readonly wanted: readonly { readonly want: string; readonly account?: Uint8Array }[] }

function isWanted({ wanted }: Wanting, { person }: Pick<JoinRecord, 'person'>): boolean {
  return wanted.some((one) => one.want === 'person' && one.account && equalBytes(one.account, person.account))
}

export async function put(
  deps: Pick<Deps, 'store'>,
  key: string,
  record: JoinRecord,
  state: JoinState,
): Promise<JoinRecord> {
  const next = { ...plain(record), ...state }
  await deps.store.write([{ put: 'joins', key, record: next }])
  return next
}

function plain({ channelId, by, person, note, atMs, approved, unsettled, tryAtMs }: JoinRecord) {
  const more = {
    ...(approved && { approved }),
    ...(unsettled && { unsettled }),
    ...(tryAtMs !== undefined && { tryAtMs }),
  }
  return { channelId, by, person, note, atMs, ...more }
}
