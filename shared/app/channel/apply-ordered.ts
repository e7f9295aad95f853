import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { nextHead } from '#core/channel/chain.ts'
import { sha256 } from '#core/crypto/hash.ts'
import { CryptoError, StateError, StoreError, UsageError, WireError } from '#core/errors.ts'
import { checkManifest } from '#core/identity/manifest.ts'
import { openOuter } from '#core/message/outer.ts'
import { changeRoster, type Roster } from '#core/message/roster.ts'
import {
  decodeStaged,
  discardStaged,
  epochOf,
  handlesOf,
  mergeStaged,
  type Opened,
  openMessage,
  ownMember,
} from '#core/mls/index.ts'
import { MESSAGE_ID_BYTES, POST_ID_BYTES, type PostId } from '#core/wire/ids.ts'
import type { Ordered } from '#core/wire/operations.ts'
import { type SeatChanges, seatChangesBytes } from '#core/wire/seats.ts'
import { dropHandles } from '../account/mls-handles.ts'
import { readAccount } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { noteChange } from '../group/note-change.ts'
import { addLine } from '../message/lines.ts'
import { receiveBody } from '../message/receive-body.ts'
import { missLines } from '../message/seam.ts'
import { settleSent } from '../message/settle-sent.ts'
import type { OutboxRecord, PendingRecord } from '../ports/records.ts'
import { followGroup, moderationOf } from './follow-group.ts'
import { noteCommits } from './heal-schedule.ts'
import { advance, countCommit, type Loaded, outerKeyOf, saveGroup } from './loaded.ts'
import { isHeld, returning } from './return.ts'
import { enterKeyOf } from './sealed-state.ts'
import { spread } from './spread.ts'
import { dropOffers, stateBrought, wantState, withoutWanted } from './wanted.ts'

/** Not all members bring the state anew that a void commit took away. */
const RESTATE_WITHIN_MS = 30_000
const NO_SEATS: SeatChanges = { add: [], remove: [] }

/** What an applied batch means for whoever shows it. */
export type Applied = { readonly loaded: Loaded; readonly arrived: number; readonly epochBegan: boolean }

/**
 * Applies envelopes in the channel's one order, all of them in one transaction (I-05): what is acknowledged afterwards is
 * on disk with its effect. Envelopes at or before the cursor are passed over, so that a repeated batch changes nothing.
 */
export async function applyOrdered(deps: Deps, before: Loaded, items: readonly Ordered[]): Promise<Applied> {
  const draft = new Draft(deps.store)
  const own = await ownEnvelopes(deps, before.id)
  let loaded = before
  let arrived = 0

  for (const item of items) {
    if (item.position <= loaded.sync.cursor) continue
    if (item.position !== loaded.sync.cursor + 1) break // a gap: the next fetch brings what lies between
    if (isHeld(loaded)) break // what follows is not for this state, or another story's (FRK1)
    const sync = advance(draft, loaded, item.position, nextHead(loaded.sync.head, item))
    const mine = takeOwnPost(deps, draft, own.outbox, item)

    // By its bytes, not by its id: the relay knows the id as well, and must not make this device alone change epochs.
    if (item.commit && own.pending !== undefined && equalBytes(own.pending.envelope, item.envelope)) {
      const next = { ...loaded, sync }
      const isWhole = hasSeats(item, own.pending.seats)
      loaded = isWhole
        ? await mergeOwn(deps, draft, next, own.pending, item.position)
        : await voidOwn(deps, draft, next, item)
    } else if (mine !== undefined) {
      loaded = { ...loaded, sync, channel: await settleSent(draft, loaded, mine, item.position, deps.clock.now()) }
    } else if (item.commit) {
      loaded = await applyCommit(deps, draft, { ...loaded, sync }, item)
    } else {
      const received = await applyMessage(deps, draft, { ...loaded, sync }, item)
      loaded = received.loaded
      arrived += received.arrived
    }
  }

  if (loaded === before) return { loaded, arrived: 0, epochBegan: false }
  loaded = { ...loaded, sync: noteCommits(deps, before, loaded, own.pending, items) }
  draft.put('syncs', loaded.id, loaded.sync)
  draft.put('channels', loaded.id, loaded.channel)
  saveGroup(draft, loaded.id, loaded.group, before.group)
  const handles = handlesOf(before.group) // read before what is spent is wiped: a handle's name is told by its reference
  await draft.commit()
  await dropHandles(deps.handles, handles, handlesOf(loaded.group))
  return { loaded, arrived, epochBegan: epochOf(loaded.group) !== epochOf(before.group) }
}

type Own = { readonly pending: PendingRecord | undefined; readonly outbox: Map<string, OwnRow> } // by post ids
export type OwnRow = { readonly key: readonly [string, number]; readonly record: OutboxRecord }

async function ownEnvelopes(deps: Deps, id: string): Promise<Own> {
  const [pending, rows] = await Promise.all([deps.store.get('pendings', id), deps.store.list('outbox', { of: id })])
  const outbox = rows.map(({ key, record }): [string, OwnRow] => [
    toBase64url(record.postId),
    { key: key as readonly [string, number], record },
  ])
  return { pending, outbox: new Map(outbox) }
}

/**
 * By its bytes too, and whatever its id: ids say nothing to members, and the relay knows them before it orders anything.
 * What it has put under the id of an own post is somebody else's, and the post goes out by another id: the same ciphertext,
 * sealed once (I-04).
 */
function takeOwnPost(deps: Deps, draft: Draft, outbox: Own['outbox'], item: Ordered): OwnRow | undefined {
  const mine = [...outbox.values()].find(({ record }) => isSame(record.sealed, item))
  if (mine !== undefined) outbox.delete(toBase64url(mine.record.postId))
  const named = outbox.get(toBase64url(item.id))
  if (named !== undefined) {
    const record = { ...named.record, postId: deps.dice(POST_ID_BYTES) as PostId }
    draft.put('outbox', named.key, record)
    outbox.delete(toBase64url(item.id))
    outbox.set(toBase64url(record.postId), { key: named.key, record })
  }
  return mine
}

/** With the count of commits, by which the others choose the key of its outer seal. */
function isSame(sealed: OutboxRecord['sealed'], { commit, commits, envelope }: Ordered): boolean {
  return !commit && sealed?.commits === commits && equalBytes(sealed.envelope, envelope)
}

/** This device's commit is ordered: the staged epoch becomes the current one (C-03). */
async function mergeOwn(
  deps: Deps,
  draft: Draft,
  loaded: Loaded,
  pending: PendingRecord,
  position: number,
): Promise<Loaded> {
  const staged = decodeStaged(pending.next, loaded.group.signer, loaded.group)
  const { next: group, spent } = await mergeStaged(loaded.group, staged, deps.clock.now())
  draft.spend(spent)
  const { added, removed, seats } = pending
  const manifests = await Promise.all(pending.manifests.map((bytes) => checkManifest(bytes)))
  const { account: by } = ownMember(group)
  const moderation = moderationOf(loaded.group, group)
  const roster = changeRoster(loaded.sync, { by, added, removed, manifests, seats, moderation }, position)
  const sync = countCommit({ ...loaded.sync, ...roster }, position, await outerKeyOf(group))
  draft.delete('pendings', loaded.id)
  dropOffers(draft, pending.settles)
  const state = loaded.channel.state === 'joining' ? 'open' : loaded.channel.state
  const channel = followGroup({ ...loaded.channel, state }, group)
  const after = { ...loaded, group, channel, sync }
  return {
    ...after,
    channel: noteChange(deps, draft, loaded, after, { position, by, mine: true }),
    sync: stateBrought(withoutWanted(sync, pending.settles)),
  }
}

/**
 * Other seats than those that this device's commit names: all others call it void, and so does this one. What it wanted goes
 * into another one, sealed with another key (I-04).
 */
async function voidOwn(deps: Deps, draft: Draft, loaded: Loaded, { position }: Ordered): Promise<Loaded> {
  const { next: group, spent } = await discardStaged(loaded.group)
  draft.spend(spent)
  draft.delete('pendings', loaded.id)
  return countVoid(deps, { ...loaded, group }, position)
}

function countVoid(deps: Deps, loaded: Loaded, position: number): Loaded {
  const current = loaded.sync.keys.at(-1)
  if (current === undefined) throw new UsageError('sync/no-key')
  const sync = countCommit(loaded.sync, position, current.key)
  return { ...loaded, sync: wantState(sync, deps.clock.now() + spread(deps, RESTATE_WITHIN_MS)) }
}

function hasSeats(item: Ordered, seats: SeatChanges): boolean {
  return equalBytes(seatChangesBytes(item.seats ?? NO_SEATS), seatChangesBytes(seats))
}

/**
 * A commit of somebody else. One that fails a check which every member makes alike is void: its position counts and no
 * epoch begins. A valid one ends this device's own staged commit; after a void one the same staged bytes go on behind the
 * new place, since a second commit in one epoch would reuse a handshake key.
 */
async function applyCommit(deps: Deps, draft: Draft, loaded: Loaded, item: Ordered): Promise<Loaded> {
  let opened: OpenedCommit
  let roster: Roster
  try {
    opened = await openCommit(deps, loaded, item)
    roster = rosterAfter(loaded, item, opened)
  } catch (error) {
    if (error instanceof StateError && error.code === 'mls/own-path') return lost(deps, loaded)
    if (!(error instanceof CryptoError || error instanceof WireError || error instanceof StateError)) throw error
    const pending = await draft.get('pendings', loaded.id)
    if (pending !== undefined) draft.put('pendings', loaded.id, { ...pending, after: item.position })
    return countVoid(deps, loaded, item.position)
  }
  draft.spend(opened.spent)
  draft.delete('pendings', loaded.id)
  if (opened.removedSelf) return lost(deps, loaded)
  const group = opened.next
  const sync = countCommit({ ...loaded.sync, ...roster }, item.position, await outerKeyOf(group))
  const after = { ...loaded, group, channel: followGroup(loaded.channel, group), sync: stateBrought(sync) }
  const { account: by } = opened.from
  const mine = equalBytes(by, ownMember(group).account)
  return { ...after, channel: noteChange(deps, draft, loaded, after, { position: item.position, by, mine }) }
}

type OpenedCommit = Extract<Opened, { kind: 'commit' }>

/** By a member under the epoch's key, or by a device that comes in under the one that is for that alone (BCK4). */
async function openCommit(deps: Deps, loaded: Loaded, item: Ordered): Promise<OpenedCommit> {
  const { group, sync } = loaded
  const opened = await open(deps, loaded, item).catch(async (error: unknown) => {
    if (!(error instanceof CryptoError) || item.commits !== sync.commits) throw error
    const message = await openOuter(await enterKeyOf(group), sync.address, item.envelope)
    return openMessage(group, message, deps.clock.now())
  })
  if (opened.kind !== 'commit') throw new CryptoError('commit/not-a-commit')
  return opened
}

/** @throws CryptoError when seats change otherwise than the commit says, or than its leaves do (SEAT1 to SEAT5): it is void */
function rosterAfter({ sync, group }: Loaded, item: Ordered, opened: OpenedCommit): Roster {
  const seats = item.seats ?? NO_SEATS
  const { authenticatedData, added, manifests } = opened
  if (!equalBytes(sha256(seatChangesBytes(seats)), authenticatedData.seatsHash)) throw new CryptoError('commit/seats')
  const removed = opened.removed.map(({ leaf }) => leaf)
  const moderation = moderationOf(group, opened.next)
  const change = { by: opened.from.account, added, removed, manifests, seats, moderation }
  return changeRoster(sync, change, item.position)
}

function lost(deps: Deps, loaded: Loaded): Loaded {
  return { ...loaded, channel: returning(loaded.channel, deps.clock.now()) }
}

type Received = { readonly loaded: Loaded; readonly arrived: number }

async function applyMessage(deps: Deps, draft: Draft, loaded: Loaded, item: Ordered): Promise<Received> {
  let opened: Opened
  try {
    opened = await open(deps, loaded, item)
  } catch (error) {
    if (!(error instanceof CryptoError || error instanceof WireError || error instanceof StateError)) throw error
    if (error.code === 'outer/epoch-gone') return { loaded: await missed(deps, draft, loaded, item), arrived: 0 }
    return { loaded: await unreadable(deps, draft, loaded, item, error.code), arrived: 0 }
  }
  if (opened.kind !== 'message') {
    return { loaded: await unreadable(deps, draft, loaded, item, 'message/not-a-message'), arrived: 0 }
  }
  draft.spend(opened.spent)
  const next = { ...loaded, group: opened.next }
  try {
    return await receiveBody(deps, draft, next, opened, item)
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return { loaded: await unreadable(deps, draft, next, item, error.code), arrived: 0 }
  }
}

/** Sealed before this device came in, by somebody who had not heard of it: its author may send it again (SEAM1). */
async function missed(deps: Deps, draft: Draft, loaded: Loaded, { position }: Ordered): Promise<Loaded> {
  const own = await readAccount(deps.store)
  if (own === undefined) throw new StoreError('store/keys-missing')
  const stretch = { after: position - 1, upTo: position + 1, cause: 'outer/epoch-gone' }
  return missLines(deps, draft, loaded, own, stretch)
}

/** M-09: never silent, and it never holds up what follows. */
async function unreadable(deps: Deps, draft: Draft, loaded: Loaded, item: Ordered, cause: string): Promise<Loaded> {
  const messageId = deps.dice(MESSAGE_ID_BYTES) // not the envelope's own id, which its author picked
  const line = { kind: 'unreadable', cause, messageId, atMs: deps.clock.now() } as const
  return { ...loaded, channel: await addLine(draft, loaded, item.position, line) }
}

async function open(deps: Deps, loaded: Loaded, item: Ordered): Promise<Opened> {
  const outer = loaded.sync.keys.find((known) => known.commits === item.commits)
  if (outer === undefined) throw new StateError('outer/epoch-gone')
  const message = await openOuter(outer.key, loaded.sync.address, item.envelope)
  return openMessage(loaded.group, message, deps.clock.now())
}
