import { labels } from '#core/crypto/labels.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import { RelayError, StateError, StoreError, UsageError } from '#core/errors.ts'
import { epochOf } from '#core/mls/index.ts'
import type { Token, TokenHash } from '#core/wire/ids.ts'
import type { Ordered } from '#core/wire/operations.ts'
import { readAccount, readRealm } from '../account/read-account.ts'
import { holdsStopped } from '../contact/stopped.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { endPlace } from '../group/leave.ts'
import { answerAsked } from '../message/answer-asked.ts'
import { failOutbox } from '../message/fail-outbox.ts'
import { oweReceipts } from '../message/owe-receipts.ts'
import { sendOutbox } from '../message/send-outbox.ts'
import { answerState } from './answer-state.ts'
import { applyOrdered } from './apply-ordered.ts'
import { fetchOrdered, followsCursor, pauseForked } from './fetch-ordered.ts'
import { scheduleHeal } from './heal-schedule.ts'
import { type Loaded, loadChannel } from './loaded.ts'
import { openAtRelay } from './make-channel.ts'
import { movePlace } from './move-place.ts'
import { dropCommit, isAwaited, offerCommit } from './offer-commit.ts'
import { giveUp, isForked, isHeld, reopen } from './return.ts'
import { noteRevoked } from './revoked.ts'
import { stageWanted } from './stage-commit.ts'
import { dueAtMs } from './wanted.ts'

/** This device has no place in the channel any more, or never had: trying again unasked would change nothing. */
const REFUSED_FOR_GOOD: ReadonlySet<string> = new Set(['seat/removed', 'seat/refused', 'channel/unknown'])
/** Of those, where the account may have a place all the same: a commit that was void for members took the seat alone (C-07). */
const MAY_COME_BACK: ReadonlySet<string> = new Set(['seat/removed', 'seat/refused'])

/** What is due and could not be done is looked at again in a while, once for however often that was seen. */
const LATER_MS = 60_000

export type Reasons = {
  readonly carried: readonly Ordered[] // envelopes that rode in a wake
  readonly fetchFirst: boolean
  readonly receipts: boolean // it is time to send the receipts that are owed
  readonly manifests: boolean // a manifest may be newer than when this channel was last compared with them
}

export type Driven = {
  readonly loaded: Loaded
  readonly arrived: number
  readonly acknowledge: boolean // there is something the relay may forget for this seat
  readonly again: boolean // an epoch began that was not compared with manifests yet
  readonly againAtMs?: number // a change of the group becomes due then
  readonly failure?: unknown // what is told came before it, and is on disk
}
type Gone = Omit<Driven, 'arrived' | 'failure'>

/**
 * Brings one channel as far as it can go now: takes what came, fetches what is missing, offers what changes the group,
 * sends what waits. Each step is a transaction of its own and safe to repeat, so that a crash, a lost answer or another
 * start goes on where this one stopped.
 */
export async function drive(deps: Deps, before: Loaded, reasons: Reasons): Promise<Driven> {
  let arrived = 0
  const came = (more: number): void => {
    arrived += more
  }
  try {
    return { ...(await goOn(deps, before, reasons, came)), arrived }
  } catch (error) {
    if (error instanceof StoreError || !(await isToSettle(deps, before, error))) throw error
    // What was sealed before a failure has used up keys: go on from the stored state alone (I-04).
    const stored = await loadChannel(deps, before.id)
    const after = await settleFailure(deps, stored ?? before, error)
    if (after !== undefined) return { loaded: after, arrived, acknowledge: false, again: false }
    if (stored === undefined) throw error
    return { loaded: stored, arrived, acknowledge: isToAcknowledge(stored), again: false, failure: error }
  }
}

/** Is there something that the relay may forget for this seat? Not where it would tell that somebody is there (M-11). */
export function isToAcknowledge({ channel, sync }: Pick<Loaded, 'channel' | 'sync'>): boolean {
  const isSeated = channel.state !== 'returning' && channel.pausedBy !== 'removed'
  return isSeated && channel.request === undefined && sync.cursor > sync.acked
}

/** Something is over, or something came before it failed. */
async function isToSettle(deps: Deps, { id, sync }: Loaded, error: unknown): Promise<boolean> {
  if (error instanceof RelayError && (error.code === 'channel/forked' || REFUSED_FOR_GOOD.has(error.code))) return true
  return (await deps.store.get('syncs', id))?.cursor !== sync.cursor
}

/** @returns undefined for what may pass */
async function settleFailure(deps: Deps, stored: Loaded, error: unknown): Promise<Loaded | undefined> {
  if (!(error instanceof RelayError)) return undefined
  // The relay itself has another history than it has told this device (CHN4, C-06).
  if (error.code === 'channel/forked') return pauseForked(deps, stored)
  if (!REFUSED_FOR_GOOD.has(error.code)) return undefined
  if (isForked(stored)) return stored
  if (MAY_COME_BACK.has(error.code) && stored.channel.entry !== undefined) return giveUp(deps, stored)
  if (stored.sync.retoken !== undefined) return neverIn(deps, stored, error.code)
  return failOutbox(deps, stored, error.code)
}

/** The first word was refused: who is added there later comes in, and who leaves has nothing to end. */
function neverIn(deps: Deps, loaded: Loaded, failure: string): Promise<Loaded> {
  if (loaded.channel.leaving) return endPlace(deps, loaded)
  return failOutbox(deps, { ...loaded, channel: { ...loaded.channel, state: 'paused', pausedBy: 'removed' } }, failure)
}

async function goOn(
  deps: Deps,
  before: Loaded,
  { carried, fetchFirst, receipts, manifests }: Reasons,
  came: (arrived: number) => void,
): Promise<Gone> {
  let loaded = await settleIn(deps, before)
  let compared = manifests ? -1 : epochOf(before.group)
  let commitAtMs: number | undefined
  const done = (): Gone => {
    const { wanted, asked = [], nextHealMs, stateWanted } = loaded.sync
    const nowMs = deps.clock.now()
    const laterMs = (Math.floor(nowMs / LATER_MS) + 2) * LATER_MS
    const steps = [
      ...wanted.map(dueAtMs).filter((atMs) => atMs > 0),
      ...asked.map((one) => one.notBeforeMs),
      nextHealMs,
      stateWanted?.notBeforeMs,
      commitAtMs,
    ]
    const due = isHeld(loaded)
      ? []
      : steps.filter((atMs) => atMs !== undefined).map((atMs) => (atMs > nowMs ? atMs : laterMs))
    const acknowledge = isToAcknowledge(loaded)
    const again = !isHeld(loaded) && compared !== epochOf(loaded.group)
    return { loaded, acknowledge, again, ...(due.length > 0 ? { againAtMs: Math.min(...due) } : {}) }
  }

  const quiet = (): Gone => ({ loaded, acknowledge: false, again: false })

  if (followsCursor(loaded, carried)) {
    const applied = await applyOrdered(deps, loaded, carried)
    loaded = applied.loaded
    came(applied.arrived)
  }
  const missing = carried.some((item) => item.position > loaded.sync.cursor)
  const isOut = loaded.channel.pausedBy === 'removed'
  if (fetchFirst || missing || isOut || loaded.sync.joinedAt === undefined)
    loaded = await fetchOrdered(deps, loaded, came)
  if (isOut && !isHeld(loaded)) loaded = await reopen(deps, loaded) // the relay lets this device in all the same

  const account = await readAccount(deps.store)
  if (account === undefined || isHeld(loaded)) return done()
  // M-11: nobody is told that this device is there, before the person says so.
  if (loaded.channel.request !== undefined) {
    if (loaded.channel.leaving) loaded = await endPlace(deps, loaded)
    return quiet()
  }
  loaded = await scheduleHeal(deps, loaded)
  while (!loaded.channel.leaving) {
    if (isHeld(loaded)) return done()
    if (compared !== epochOf(loaded.group)) loaded = await noteRevoked(deps, loaded, account)
    compared = epochOf(loaded.group)
    const stored = await deps.store.get('pendings', loaded.id)
    const staged = stored === undefined ? await stageWanted(deps, loaded, account) : { loaded, pending: stored }
    loaded = staged.loaded
    if (staged.pending === undefined) break
    const offered = await offerCommit(deps, loaded, staged.pending)
    if (offered.is === 'later') {
      commitAtMs = offered.atMs
      if (isAwaited(loaded, staged.pending, deps.clock.now())) return done()
      break // what is written goes out meanwhile (GRP9)
    }
    if (offered.is === 'ordered') loaded = await fetchPast(deps, loaded, came)
    else loaded = await dropCommit(deps, loaded, offered.gone)
  }
  if (!loaded.channel.leaving) loaded = await answerState(deps, loaded)
  // Nobody else came in, and nobody is going to: what was written is not for this device alone.
  if (
    loaded.channel.state === 'joining' &&
    !loaded.sync.wanted.some(({ want }) => want === 'add' || want === 'person')
  ) {
    loaded = await failOutbox(deps, loaded, 'invitation/manifest')
    return done()
  }
  if (loaded.channel.left === 'ended') {
    loaded = await failOutbox(deps, loaded, 'channel/left')
    return done()
  }
  if (!loaded.channel.leaving && (await holdsStopped(deps, loaded.sync))) {
    loaded = await hold(deps, loaded)
    return done()
  }
  for (;;) {
    if (receipts) loaded = await oweReceipts(deps, loaded)
    loaded = await answerAsked(deps, loaded)
    const sent = await sendOutbox(deps, loaded)
    loaded = sent.loaded
    const receiptsLeft = receipts && loaded.sync.owed.length > 0
    if (sent.left === 'nothing' && !receiptsLeft) {
      if (!loaded.channel.leaving) return done()
      loaded = await endPlace(deps, loaded)
      return quiet()
    }
    if (sent.left === 'behind') loaded = await fetchPast(deps, loaded, came)
    if (isHeld(loaded)) return done()
  }
}

/** K-11: the person looks first. What they wrote says so; nobody is told meanwhile that anything arrived. */
async function hold(deps: Deps, before: Loaded): Promise<Loaded> {
  const waiting = await deps.store.list('outbox', { of: before.id })
  const isWritten = waiting.some(({ record }) => record.line !== undefined)
  const loaded = isWritten ? await failOutbox(deps, before, 'contact/look', { linesOnly: true }) : before
  if (loaded.sync.owed.length === 0) return loaded
  const sync = { ...loaded.sync, owed: [] }
  await deps.store.write([{ put: 'syncs', key: loaded.id, record: sync }])
  return { ...loaded, sync }
}

/** Where the relay said that there is something new. One that shows nothing is asked again later, not for ever at once. */
async function fetchPast(deps: Deps, before: Loaded, came: (arrived: number) => void): Promise<Loaded> {
  const fetched = await fetchOrdered(deps, before, came)
  if (fetched.sync.cursor === before.sync.cursor) throw new StateError('channel/nothing-new')
  return fetched
}

/** The channel's first words with the relay: open it, or make the seat's token one that only this device knows. */
async function settleIn(deps: Deps, before: Loaded): Promise<Loaded> {
  let loaded = before
  let { sync } = loaded
  if (sync.opening) {
    const realm = await readRealm(deps.store)
    if (realm === undefined) return loaded
    loaded = await openSomewhere(deps, loaded, { address: realm.mailbox, token: realm.mailboxToken })
    sync = loaded.sync
    const { opening: _, ...opened } = sync
    sync = opened
  }
  if (sync.retoken !== undefined) {
    sync = await retoken(deps, sync, sync.retoken)
  }
  let { channel } = loaded
  if (sync.reentry !== undefined) {
    channel = await reenter(deps, loaded, sync.reentry)
    const { reentry: _, ...settled } = sync
    sync = settled
  }
  if (sync === loaded.sync) return loaded
  const draft = new Draft(deps.store)
  draft.put('syncs', loaded.id, sync)
  if (channel !== loaded.channel) draft.put('channels', loaded.id, channel)
  await draft.commit()
  return { ...loaded, sync, channel }
}

async function openSomewhere(deps: Deps, loaded: Loaded, mailbox: Parameters<typeof openAtRelay>[2]): Promise<Loaded> {
  try {
    await openAtRelay(deps, loaded, mailbox)
    return loaded
  } catch (error) {
    const isTaken = error instanceof RelayError && error.code === 'channel/exists'
    if (!isTaken || loaded.channel.named === undefined) throw error
    const moved = await movePlace(deps, loaded)
    await openAtRelay(deps, moved, mailbox)
    return moved
  }
}

async function retoken(
  deps: Deps,
  sync: Loaded['sync'],
  token: NonNullable<Loaded['sync']['retoken']>,
): Promise<Loaded['sync']> {
  const { retoken: _, ...settled } = sync
  const { address, seat } = sync
  const tokenHash: TokenHash = hashToken(labels.seatToken, token)
  await deps.relay.call('channel.retoken', { address, seat, token: sync.token, tokenHash })
  return { ...settled, token }
}

/** The account's entry gets a token that only its devices know; the account's log tells the others (C-07). */
export async function reenter(
  deps: Pick<Deps, 'relay'>,
  { channel, sync }: Pick<Loaded, 'channel' | 'sync'>,
  token: Token,
): Promise<Loaded['channel']> {
  const { entry } = channel
  if (entry === undefined) throw new UsageError('channel/no-entry')
  const tokenHash: TokenHash = hashToken(labels.entryToken, token)
  try {
    await deps.relay.call('channel.reentry', { address: sync.address, entry: entry.id, token: entry.token, tokenHash })
    return { ...channel, entry: { id: entry.id, token } }
  } catch (error) {
    if (!(error instanceof RelayError && error.code === 'entry/refused')) throw error
    // Another device of the account was first: its token comes with the log, and this one is not to be told there.
    const { entry: _, ...waiting } = channel
    return waiting
  }
}
