import { equalBytes } from '#core/bytes/equal.ts'
import { toHex } from '#core/bytes/hex.ts'
import { CryptoError, RelayError, StateError, WireError } from '#core/errors.ts'
import { checkManifest } from '#core/identity/manifest.ts'
import { decodeStaged } from '#core/mls/index.ts'
import { deviceSigner } from '../account/device-signer.ts'
import { readAccount, readDevice, readRealm } from '../account/read-account.ts'
import { listedOf } from '../account/settle-manifest.ts'
import { findContact } from '../contact/find-contact.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { withPutOut } from '../join/put-out.ts'
import { failOutbox } from '../message/fail-outbox.ts'
import { askAgain, openSeam } from '../message/seam.ts'
import { setAside } from '../message/set-aside.ts'
import type { ChannelRecord, EnterRecord, SyncRecord } from '../ports/records.ts'
import { reenter } from './drive.ts'
import { followGroup } from './follow-group.ts'
import { keepOwn } from './keep-own.ts'
import { dropGroup, saveGroup } from './loaded.ts'
import { askForState, type Door, openState, readState } from './open-state.ts'
import { type Self, stageEnter } from './stage-enter.ts'

/** Others' commits that may win in between before this device waits for a moment. */
const MAX_TRIES = 8
const PAUSE_MS = 60_000
/** Moderators who are there bring what a void commit took within 30 s (RESTATE_WITHIN_MS); a while for the way. */
const REOPENED_WITHIN_MS = 45_000
/** By then the account's log has the token that another of its devices has set. The relay itself forgets who was put out (CHN15). */
const TOLD_WITHIN_MS = 24 * 60 * 60 * 1000

/**
 * Comes into a channel of the account without being added (C-07): because this device is new, was away for too long, or
 * has lost its state. What it needs is the key ring and the channel's entry; history stays as it is.
 * @returns 'waiting' when there is no way in before another member has committed, 'out' when this device has no place here
 */
export async function comeBack(deps: Deps, id: string, before: ChannelRecord): Promise<'in' | 'waiting' | 'out'> {
  const self = await readSelf(deps)
  const channel = await withOwnToken(deps, id, before)
  const { address, entry, cameBackAtMs } = channel
  if (self === 'unlisted') return stayOut(deps, id, channel)
  if (self === undefined || address === undefined || entry === undefined) return 'waiting' // the log or the realm has more to tell
  // A relay that lets a device in and then refuses it is not asked over and over.
  if (cameBackAtMs !== undefined && deps.clock.now() < cameBackAtMs + PAUSE_MS) return 'waiting'
  if (channel.repair !== undefined && (await keepOwn(deps, id, channel))) return 'in'
  try {
    for (let left = MAX_TRIES; left > 0; left--) {
      const staged = (await deps.store.get('enters', id)) ?? (await stage(deps, self, id, channel, { address, entry }))
      if (staged === undefined) return 'waiting'
      const position = await offer(deps, { address, entry }, staged)
      if (position !== undefined) {
        await goIn(deps, self, { id, channel, staged, position })
        return 'in'
      }
      await deps.store.write([{ delete: 'enters', key: id }]) // another commit came first: on from that one
    }
    return 'waiting'
  } catch (error) {
    // What the last commit left is no good, or this device has something to learn first.
    if (error instanceof CryptoError || error instanceof WireError || error instanceof StateError) return 'waiting'
    if (!(error instanceof RelayError) || error.retryable) throw error
    if (!mayPass(error, channel, deps.clock.now())) return stayOut(deps, id, channel)
    await noteRefused(deps, id, channel, error)
    return 'waiting'
  }
}

/**
 * Another device may have changed the entry's token: it comes with the account's log. And a commit that was void for members
 * may have shut the entry: the next one of a moderator opens it (CHN15).
 */
function mayPass({ code }: RelayError, { lostAtMs, shut }: ChannelRecord, nowMs: number): boolean {
  const isWithin = (ms: number): boolean => lostAtMs !== undefined && nowMs < lostAtMs + ms
  if (code === 'entry/removed') return isWithin(REOPENED_WITHIN_MS)
  if (code !== 'entry/refused') return false
  return shut ? isWithin(REOPENED_WITHIN_MS) : lostAtMs === undefined || isWithin(TOLD_WITHIN_MS)
}

/** A shut entry is almost always what it looks like, so the person reads it at once; what they wrote waits until it is certain. */
async function noteRefused(deps: Deps, id: string, channel: ChannelRecord, { code }: RelayError): Promise<void> {
  const { shut, lostAtMs = deps.clock.now() } = channel
  const record = { ...channel, lostAtMs, ...(code === 'entry/removed' && { shut: true as const }) }
  if (record.shut === shut && lostAtMs === channel.lostAtMs) return
  await deps.store.write([{ put: 'channels', key: id, record }])
  deps.changes.announce({ what: 'channels' })
}

/** The account, or this device of it, is not in this channel any more: what waits to be sent is named as not sent (M-09). */
async function stayOut(deps: Deps, id: string, channel: ChannelRecord): Promise<'out'> {
  const { shut: _, ...kept } = channel
  await failOutbox(deps, { id, channel: { ...kept, state: 'paused', pausedBy: 'removed' } }, 'seat/removed')
  return 'out'
}

/** The entry's new token may be with the relay already, though this device never heard so before it lost its state. */
async function withOwnToken(deps: Deps, id: string, channel: ChannelRecord): Promise<ChannelRecord> {
  const sync = await deps.store.get('syncs', id)
  if (sync?.reentry === undefined || channel.entry === undefined) return channel
  const next = await reenter(deps, { channel, sync }, sync.reentry).catch((error: unknown) => {
    if (error instanceof RelayError && error.code === 'entry/removed') return undefined
    throw error
  })
  if (next === undefined) return channel // put out before it was ever in: whoever asks to come in hears so too
  const { reentry: _, ...settled } = sync
  await deps.store.write([
    { put: 'syncs', key: id, record: settled },
    { put: 'channels', key: id, record: next },
  ])
  return next
}

/** A device that its account's manifest does not list has no place anywhere (K-07). */
async function readSelf(deps: Deps): Promise<Self | 'unlisted' | undefined> {
  const [account, device, realm] = await Promise.all([
    readAccount(deps.store),
    readDevice(deps.store),
    readRealm(deps.store),
  ])
  if (account === undefined || device === undefined || realm === undefined || device.unlisted) return undefined
  const manifest = await checkManifest(account.manifest, account.account)
  return listedOf(manifest, device) === undefined ? 'unlisted' : { account, device, realm }
}

async function stage(
  deps: Deps,
  self: Self,
  id: string,
  channel: ChannelRecord,
  door: Door,
): Promise<EnterRecord | undefined> {
  const reply = await readState(deps, door)
  let staged: EnterRecord | undefined
  try {
    const found = await openState(deps, door, reply)
    staged = found && (await stageEnter(deps, self, { door, channel, found }))
  } catch (error) {
    if (error instanceof CryptoError || error instanceof WireError) await askForState(deps, door, reply.n ?? 0)
    throw error
  }
  if (staged === undefined)
    await askForState(deps, door, reply.n) // another member's may be good
  else await deps.store.write([{ put: 'enters', key: id, record: staged }])
  return staged
}

/** @returns undefined when another commit was ordered first */
async function offer(
  deps: Deps,
  { address, entry }: Door,
  { id, after, envelope, seats, state }: EnterRecord,
): Promise<number | undefined> {
  const key = { address, entry: entry.id, token: entry.token }
  const offered = { id, after, envelope, seats, ...(state === undefined ? {} : { state }) }
  try {
    return (await deps.relay.call('channel.enter', { ...key, ...offered })).position
  } catch (error) {
    if (!(error instanceof RelayError && error.code === 'channel/commit-lost')) throw error
    return undefined
  }
}

type Ordered = {
  readonly id: string
  readonly channel: ChannelRecord
  readonly staged: EnterRecord
  readonly position: number
}

/** The commit is ordered: its epoch is this device's first here. What waits to be sent is sealed anew, under its own ids. */
async function goIn(deps: Deps, { account, device }: Self, { id, channel, staged, position }: Ordered): Promise<void> {
  const draft = new Draft(deps.store)
  await dropGroup(deps.store, draft, id)
  const group = decodeStaged(staged.next, await deviceSigner(deps.handles, device))
  saveGroup(draft, id, group, undefined)
  draft.delete('enters', id)
  draft.delete('pendings', id)
  for (const { key, record } of await deps.store.list('outbox', { of: id })) {
    const { sealed: _, ...unsealed } = record
    draft.put('outbox', key, unsealed)
  }
  const before = await deps.store.get('syncs', id)
  const wanted = (before?.wanted ?? []).filter(({ want }) => want !== 'heal')
  const { seams, asked } = before ?? {}
  const healedAtMs = deps.clock.now()
  const sync: SyncRecord = { ...staged.sync, healedAtMs, wanted, ...(seams && { seams }), ...(asked && { asked }) }
  const { pausedBy: _, lostAtMs: __, shut: ___, spaceSeen: ____, repair, ...kept } = channel
  const settled = repair && (await setAside(deps, draft, { id, channel: kept, after: repair.after, position }))
  const open = {
    ...(settled ?? kept),
    title: await titleOf(deps, channel, staged),
    kind: staged.kind,
    state: 'open',
    cameBackAtMs: deps.clock.now(),
    names: bothNames(staged.names ?? [], channel.names ?? []),
  } as const
  const noted = staged.kind === 'group' ? afterAll(open, before?.accounts ?? [], sync.accounts) : open
  await askAgain(deps, draft, id, seams ?? [])
  const after = repair?.after ?? Math.max(channel.logged ?? 0, before?.cursor ?? 0)
  const returned = await openSeam(deps, draft, { id, channel: followGroup(noted, group), sync }, account, {
    after,
    upTo: position,
    known: before?.accounts ?? [],
  })
  draft.put('channels', id, returned.channel)
  draft.put('syncs', id, returned.sync)
  await draft.commit()
}

type Names = NonNullable<ChannelRecord['names']>

/** Each account once, by the name that it was told last. */
function bothNames(told: Names, before: Names): Names {
  const known = new Set(told.map(({ account }) => toHex(account)))
  return [...told, ...before.filter(({ account }) => !known.has(toHex(account)))]
}

/** What nobody could tell this device meanwhile: who is gone, and did not say so while it was there, may have been taken out. */
function afterAll(channel: ChannelRecord, before: SyncRecord['accounts'], now: SyncRecord['accounts']): ChannelRecord {
  const isIn = (one: Uint8Array): boolean => now.some(({ account }) => equalBytes(account, one))
  const noted = withPutOut(channel, before, now, channel.leavers)
  return noted.leavers === undefined ? noted : { ...noted, leavers: noted.leavers.filter(isIn) }
}

/** As it was called here; a conversation of two by the other's name. */
async function titleOf(deps: Deps, { title }: ChannelRecord, { title: theirs, sync }: EnterRecord): Promise<string> {
  if (title !== '') return title
  if (theirs !== '') return theirs
  for (const { account } of sync.accounts) {
    const contact = await findContact(deps.store, account)
    if (contact !== undefined) return contact.record.name
  }
  return ''
}
