import { equalBytes } from '#core/bytes/equal.ts'
import { toHex } from '#core/bytes/hex.ts'
import { sha256 } from '#core/crypto/hash.ts'
import { CryptoError, InputError, UsageError, WireError } from '#core/errors.ts'
import { checkManifest, type Manifest } from '#core/identity/manifest.ts'
import { sealOuter } from '#core/message/outer.ts'
import { changeRoster, placeOf } from '#core/message/roster.ts'
import { type Shared, sealShared } from '#core/message/stashed.ts'
import {
  encodeStaged,
  type Group,
  type Member,
  members,
  type RoleChange,
  type SpaceChange,
  type StagedCommit,
  spaceListing,
  spaceOf,
  stageCommit,
} from '#core/mls/index.ts'
import { type AccountId, type Address, POST_ID_BYTES, type PostId } from '#core/wire/ids.ts'
import { type SeatChanges, seatChangesBytes } from '#core/wire/seats.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import type { AccountRecord, PendingRecord, Wanted } from '../ports/records.ts'
import { followGroup, moderationOf, roleIn } from './follow-group.ts'
import { introduce } from './introduce.ts'
import type { Loaded } from './loaded.ts'
import { namesOf } from './names.ts'
import { type Newcomer, newcomersOf } from './newcomers.ts'
import { leaversOf } from './revoked.ts'
import { sealedStateOf } from './sealed-state.ts'
import { dropOffers, dueAtMs } from './wanted.ts'

type Staged = { readonly loaded: Loaded; readonly pending: PendingRecord | undefined }

/** What may be refused for good: by the rules of the group, or because key packages are not good any more. */
const MAY_BE_REFUSED: ReadonlySet<Wanted['want']> = new Set([
  'add',
  'person',
  'exclude',
  'role',
  'profile',
  'list',
  'leave-space',
])

/** Stages the changes that are due as one commit and stores it; nothing leaves before that (C-03, I-04). */
export async function stageWanted(deps: Deps, before: Loaded, account: AccountRecord): Promise<Staged> {
  const now = deps.clock.now()
  const loaded = await withoutSettled(deps, before)
  const due = await withinOne(
    deps,
    loaded.sync.wanted.filter((wanted) => dueAtMs(wanted) <= now),
  )
  if (due.length === 0) return { loaded, pending: undefined }
  try {
    return { loaded, pending: await stage(deps, loaded, account, due) }
  } catch (error) {
    if (!isRefusal(error)) throw error
    // Key packages that are not good, or no more, never will be, nor what this account may not do: the channel goes on without.
    const refused = await refusedOf(deps, loaded, account, due)
    if (refused.length === 0) throw error
    return stageWanted(deps, await without(deps, loaded, (wanted) => refused.includes(wanted)), account)
  }
}

/** What a request holds, with room for the commit's own part: the rest comes with the next one. */
const MAX_ADDED_BYTES = 1024 * 1024
/** Of the mail to one device, besides what all get alike. */
const MAIL_BYTES = 4608

async function withinOne(deps: Deps, due: readonly Wanted[]): Promise<readonly Wanted[]> {
  let total = 0
  const within: Wanted[] = []
  for (const wanted of due) {
    if (wanted.want === 'person') {
      const offer = await deps.store.get('offers', wanted.offer)
      const packages = (offer?.devices ?? []).map(({ keyPackage }) => keyPackage.length + MAIL_BYTES)
      total += (offer?.manifest.length ?? 0) + packages.reduce((sum, one) => sum + one, 0)
      if (total > MAX_ADDED_BYTES) continue
    }
    within.push(wanted)
  }
  return within
}

function isRefusal(error: unknown): boolean {
  return error instanceof CryptoError || error instanceof InputError || error instanceof WireError
}

/** Which of them members would refuse each by itself; all, when they are refused together alone. */
async function refusedOf(
  deps: Deps,
  loaded: Loaded,
  account: AccountRecord,
  due: readonly Wanted[],
): Promise<readonly Wanted[]> {
  const suspects = due.filter(({ want }) => MAY_BE_REFUSED.has(want))
  const refused: Wanted[] = []
  for (const wanted of suspects) {
    try {
      await prepare(deps, loaded, account, [wanted])
    } catch (error) {
      if (!isRefusal(error)) throw error
      refused.push(wanted)
    }
  }
  return refused.length > 0 ? refused : suspects
}

/** What somebody else has done is not wanted any more. */
async function withoutSettled(deps: Deps, loaded: Loaded): Promise<Loaded> {
  const { group, sync } = loaded
  if (sync.wanted.every(({ want }) => want === 'heal' || want === 'add')) return loaded
  const present = new Set(members(group).map(({ account }) => toHex(account)))
  const isSettled = (wanted: Wanted): boolean => {
    switch (wanted.want) {
      case 'remove':
        return memberOf(group, wanted) === undefined
      case 'exclude':
        return !present.has(toHex(wanted.account))
      case 'person':
        return present.has(toHex(wanted.account))
      case 'role':
        return !present.has(toHex(wanted.account)) || roleIn(group, wanted.account) === wanted.role
      case 'list':
        return isListed(group, wanted.channel) === wanted.listed
      case 'leave-space':
        return spaceOf(group) === undefined
      default:
        return false
    }
  }
  return sync.wanted.some(isSettled) ? without(deps, loaded, isSettled) : loaded
}

async function without(deps: Deps, loaded: Loaded, isGone: (wanted: Wanted) => boolean): Promise<Loaded> {
  const sync = { ...loaded.sync, wanted: loaded.sync.wanted.filter((wanted) => !isGone(wanted)) }
  const draft = new Draft(deps.store)
  draft.put('syncs', loaded.id, sync)
  dropOffers(draft, loaded.sync.wanted.filter(isGone))
  await draft.commit()
  return { ...loaded, sync }
}

type Prepared = {
  readonly staged: StagedCommit
  readonly newcomers: readonly Newcomer[]
  readonly removed: readonly number[]
  readonly seats: SeatChanges
  readonly manifests: readonly Carried[]
}

/** The commit itself. Nothing of it is kept unless it is stored. */
async function prepare(deps: Deps, loaded: Loaded, account: AccountRecord, due: readonly Wanted[]): Promise<Prepared> {
  const newcomers = (await Promise.all(due.map((wanted) => newcomersOf(deps, loaded, wanted)))).flat()
  const leavers = await leaversOf(deps, loaded, account, due)
  const excluded = due.flatMap((wanted) => (wanted.want === 'exclude' ? leavesOf(loaded.group, wanted.account) : []))
  const removed = [...new Set([...leavers.map(({ member }) => member.leaf), ...excluded])]
  const roles = due.flatMap((wanted) =>
    wanted.want === 'role' ? [{ account: wanted.account, role: wanted.role }] : [],
  )
  const changes = due.flatMap((wanted) => (wanted.want === 'profile' ? [wanted.change] : []))
  const space = spaceChangeOf(due)
  const moderate = moderateSeats(loaded, roles, removed)
  const seats: SeatChanges = {
    add: newcomers.map((newcomer) => newcomer.seat),
    remove: loaded.sync.seats.filter(({ leaf }) => removed.includes(leaf)).map(({ seat }) => seat),
    ...(moderate.length === 0 ? {} : { moderate }),
  }
  const manifests = await manifestsOf(loaded, account, [...newcomers, ...leavers])
  const staged = await stageCommit(
    loaded.group,
    {
      adds: newcomers.map((newcomer) => newcomer.keyPackage),
      removes: removed,
      roles,
      ...(changes.length === 0 ? {} : { profile: Object.assign({}, ...changes) }),
      ...(space && { space }),
      authenticatedData: {
        timeMs: deps.clock.now(),
        seatsHash: sha256(seatChangesBytes(seats)),
        manifests: manifests.map(({ bytes }) => bytes),
      },
    },
    deps.dice,
  )
  return { staged, newcomers, removed, seats, manifests }
}

function spaceChangeOf(due: readonly Wanted[]): SpaceChange | undefined {
  if (due.some(({ want }) => want === 'leave-space')) return { leave: true }
  const said = due.flatMap((wanted) => (wanted.want === 'list' ? [wanted] : []))
  const by = (listed: boolean) => said.filter((one) => one.listed === listed).map(({ channel }) => channel)
  return said.length === 0 ? undefined : spaceListing(by(true), by(false))
}

function isListed(group: Group, channel: Address): boolean {
  const space = spaceOf(group)
  return space?.is === 'home' && space.channels.some((one) => equalBytes(one, channel))
}

function leavesOf(group: Group, account: AccountId): readonly number[] {
  return members(group).flatMap((member) => (equalBytes(member.account, account) ? [member.leaf] : []))
}

/** CHN20: who is more than a member moderates, on all devices. */
function moderateSeats(
  { sync }: Loaded,
  roles: readonly RoleChange[],
  removed: readonly number[],
): NonNullable<SeatChanges['moderate']> {
  return roles.flatMap(({ account, role }) => {
    const entry = placeOf(sync, account)?.entry
    const moderator = role !== 'member'
    const theirs = sync.seats.filter((one) => entry !== undefined && equalBytes(one.entry, entry))
    const changed = theirs.filter((one) => one.moderator !== moderator && !removed.includes(one.leaf))
    return changed.map(({ seat }) => ({ seat, moderator }))
  })
}

async function stage(
  deps: Deps,
  loaded: Loaded,
  account: AccountRecord,
  due: readonly Wanted[],
): Promise<PendingRecord> {
  const { staged, newcomers, removed, seats, manifests } = await prepare(deps, loaded, account, due)
  const outer = loaded.sync.keys.at(-1)
  if (outer === undefined) throw new UsageError('sync/no-key')
  const envelope = await sealOuter(outer.key, loaded.sync.address, staged.commit)
  const added = placed(staged.next, newcomers)
  const moderation = moderationOf(loaded.group, staged.next)
  const checked = manifests.map(({ manifest }) => manifest)
  const change = { by: account.account, added, removed, manifests: checked, seats, moderation }
  const roster = changeRoster(loaded.sync, change)
  const { address } = loaded.sync
  const { title } = followGroup(loaded.channel, staged.next)
  const names = await namesOf(deps, loaded, account, roster)
  const state = await sealedStateOf(staged.next, { address, title, roster, names })
  const shared: Shared = { tree: staged.tree, ...roster, names: [...names] }
  const isLarge = newcomers.length * sizeOf(shared) > MAX_SHARED_IN_MAIL
  const left = isLarge ? await sealShared(shared, address, deps.dice) : undefined
  const about = { loaded, account, shared, ...(left === undefined ? {} : { stash: left.stash }) }
  const welcomes = new Map(staged.welcomes.map((one) => [toHex(one.keyPackageRef), one.welcome]))
  const pending: PendingRecord = {
    id: deps.dice(POST_ID_BYTES) as PostId,
    after: loaded.sync.lastCommit,
    commits: loaded.sync.commits,
    envelope,
    seats,
    welcomes: await Promise.all(
      newcomers.map(async (newcomer) => ({
        drop: newcomer.seat.drop,
        envelope: await introduce(about, newcomer, welcomeOf(welcomes, newcomer)),
      })),
    ),
    ...(state === undefined ? {} : { state }),
    ...(left === undefined ? {} : { stash: { id: left.stash.id, pieces: left.pieces } }),
    next: encodeStaged(staged.next, loaded.group),
    added,
    removed,
    manifests: manifests.map(({ bytes }) => bytes),
    settles: due,
  }
  // What the commit spends is part of the current epoch until the relay has ordered it: wiped on merging, not here.
  const draft = new Draft(deps.store)
  draft.put('pendings', loaded.id, pending)
  await draft.commit()
  return pending
}

/** Above this, newcomers get it from the relay, where it lies once for all of them (CHN21). */
const MAX_SHARED_IN_MAIL = 256 * 1024

function sizeOf({ tree, seats, accounts, names }: Shared): number {
  return tree.length + (seats.length + accounts.length + names.length) * 100
}

type Carried = { readonly manifest: Manifest; readonly bytes: Uint8Array }

/** One an account (MLS11), the newest; the own one too when the channel has not seen it yet, for what it is sealed to (SEAT6). */
async function manifestsOf(
  { sync }: Loaded,
  account: AccountRecord,
  concerned: readonly { readonly manifest: Uint8Array }[],
): Promise<readonly Carried[]> {
  const isNews = account.sequence > (placeOf(sync, account.account)?.sequence ?? 0)
  const given = [...concerned.map(({ manifest }) => manifest), ...(isNews ? [account.manifest] : [])]
  const carried = new Map<string, Carried>()
  for (const bytes of new Set(given)) {
    const manifest = await checkManifest(bytes)
    const name = toHex(manifest.account)
    const before = carried.get(name)
    if (before === undefined || before.manifest.sequence < manifest.sequence) carried.set(name, { manifest, bytes })
  }
  return [...carried.values()]
}

function placed(group: Group, newcomers: readonly Newcomer[]): PendingRecord['added'] {
  const nameOf = ({ account, deviceId }: Pick<Member, 'account' | 'deviceId'>) => `${toHex(account)} ${toHex(deviceId)}`
  const leaves = newcomers.length === 0 ? new Map() : new Map(members(group).map((one) => [nameOf(one), one.leaf]))
  return newcomers.map((newcomer) => {
    const leaf: number | undefined = leaves.get(nameOf(newcomer))
    if (leaf === undefined) throw new UsageError('commit/no-leaf')
    return { leaf, account: newcomer.account }
  })
}

function memberOf(group: Group, { account, deviceId }: Pick<Member, 'account' | 'deviceId'>): Member | undefined {
  return members(group).find((member) => equalBytes(member.account, account) && equalBytes(member.deviceId, deviceId))
}

function welcomeOf(welcomes: ReadonlyMap<string, Uint8Array>, { keyPackageRef }: Newcomer): Uint8Array {
  const own = welcomes.get(toHex(keyPackageRef))
  if (own === undefined) throw new UsageError('commit/no-welcome')
  return own
}
