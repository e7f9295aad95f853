import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { sha256 } from '#core/crypto/hash.ts'
import { CryptoError, InputError, UsageError, WireError } from '#core/errors.ts'
import { checkManifest, type Manifest } from '#core/identity/manifest.ts'
import { sealOuter } from '#core/message/outer.ts'
import { changeRoster, placeOf } from '#core/message/roster.ts'
import { encodeStaged, type Group, type Member, members, type StagedCommit, stageCommit } from '#core/mls/index.ts'
import { POST_ID_BYTES, type PostId } from '#core/wire/ids.ts'
import { seatChangesBytes } from '#core/wire/seats.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import type { AccountRecord, PendingRecord, Wanted } from '../ports/records.ts'
import { introduce } from './introduce.ts'
import type { Loaded } from './loaded.ts'
import { type Newcomer, newcomersOf } from './newcomers.ts'
import { type Leaver, leaversOf } from './revoked.ts'
import { sealedStateOf } from './sealed-state.ts'

type Staged = { readonly loaded: Loaded; readonly pending: PendingRecord | undefined }

/** Stages the changes that are due as one commit and stores it; nothing leaves before that (C-03, I-04). */
export async function stageWanted(deps: Deps, before: Loaded, account: AccountRecord): Promise<Staged> {
  const now = deps.clock.now()
  const loaded = await withoutSettled(deps, before)
  const due = loaded.sync.wanted.filter((wanted) => wanted.want === 'add' || wanted.notBeforeMs <= now)
  if (due.length === 0) return { loaded, pending: undefined }
  const isAdding = due.some((wanted) => wanted.want === 'add')
  try {
    const newcomers = (await Promise.all(due.map((wanted) => newcomersOf(deps, loaded, wanted)))).flat()
    const leavers = await leaversOf(deps, loaded, account, due)
    return { loaded, pending: await stage(deps, loaded, account, { due, newcomers, leavers }) }
  } catch (error) {
    const isRefused = error instanceof CryptoError || error instanceof InputError || error instanceof WireError
    if (!isAdding || !isRefused) throw error
    // Key packages that are not good, or no more, never will be: the channel goes on without those devices.
    return stageWanted(deps, await without(deps, loaded, (wanted) => wanted.want === 'add'), account)
  }
}

/** A device whose leaf somebody else has removed is not wanted gone any more. */
async function withoutSettled(deps: Deps, loaded: Loaded): Promise<Loaded> {
  const isGone = (wanted: Wanted): boolean => wanted.want === 'remove' && memberOf(loaded.group, wanted) === undefined
  return loaded.sync.wanted.some(isGone) ? without(deps, loaded, isGone) : loaded
}

async function without(deps: Deps, loaded: Loaded, isGone: (wanted: Wanted) => boolean): Promise<Loaded> {
  const sync = { ...loaded.sync, wanted: loaded.sync.wanted.filter((wanted) => !isGone(wanted)) }
  const draft = new Draft(deps.store)
  draft.put('syncs', loaded.id, sync)
  await draft.commit()
  return { ...loaded, sync }
}

type Changes = {
  readonly due: readonly Wanted[]
  readonly newcomers: readonly Newcomer[]
  readonly leavers: readonly Leaver[]
}

async function stage(
  deps: Deps,
  loaded: Loaded,
  account: AccountRecord,
  { due, newcomers, leavers }: Changes,
): Promise<PendingRecord> {
  const removed = leavers.map(({ member }) => member.leaf)
  const seats = {
    add: newcomers.map((newcomer) => newcomer.seat),
    remove: loaded.sync.seats.filter(({ leaf }) => removed.includes(leaf)).map(({ seat }) => seat),
  }
  const manifests = await manifestsOf(loaded, account, [...newcomers, ...leavers])
  const staged = await stageCommit(
    loaded.group,
    {
      adds: newcomers.map((newcomer) => newcomer.keyPackage),
      removes: removed,
      authenticatedData: {
        timeMs: deps.clock.now(),
        seatsHash: sha256(seatChangesBytes(seats)),
        manifests: manifests.map(({ bytes }) => bytes),
      },
    },
    deps.dice,
  )
  const outer = loaded.sync.keys.at(-1)
  if (outer === undefined) throw new UsageError('sync/no-key')
  const envelope = await sealOuter(outer.key, loaded.sync.address, staged.commit)
  const added = newcomers.map((newcomer) => placed(staged.next, newcomer))
  const change = { by: account.account, added, removed, manifests: manifests.map(({ manifest }) => manifest), seats }
  const roster = changeRoster(loaded.sync, change)
  const { address } = loaded.sync
  const state = await sealedStateOf(staged.next, { address, title: loaded.channel.title, roster })
  const about = { loaded, account, tree: staged.tree, roster }
  const pending: PendingRecord = {
    id: deps.dice(POST_ID_BYTES) as PostId,
    after: loaded.sync.lastCommit,
    commits: loaded.sync.commits,
    envelope,
    seats,
    welcomes: await Promise.all(
      newcomers.map(async (newcomer) => ({
        drop: newcomer.seat.drop,
        envelope: await introduce(about, newcomer, welcomeOf(staged, newcomer)),
      })),
    ),
    ...(state === undefined ? {} : { state }),
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

type Carried = { readonly manifest: Manifest; readonly bytes: Uint8Array }

/** One an account (MLS11), the newest; the own one too when the channel has not seen it yet, for what it is sealed to (SEAT6). */
async function manifestsOf(
  { sync }: Loaded,
  account: AccountRecord,
  concerned: readonly { readonly manifest: Uint8Array }[],
): Promise<readonly Carried[]> {
  const isNews = account.sequence > (placeOf(sync, account.account)?.sequence ?? 0)
  const given = [...concerned.map(({ manifest }) => manifest), ...(isNews ? [account.manifest] : [])]
  const carried: Carried[] = []
  for (const bytes of given) {
    const manifest = await checkManifest(bytes)
    const at = carried.findIndex((other) => equalBytes(other.manifest.account, manifest.account))
    const before = carried[at]
    if (before === undefined) carried.push({ manifest, bytes })
    else if (before.manifest.sequence < manifest.sequence) carried[at] = { manifest, bytes }
  }
  return carried
}

function placed(group: Group, newcomer: Newcomer): PendingRecord['added'][number] {
  const member = memberOf(group, newcomer)
  if (member === undefined) throw new UsageError('commit/no-leaf')
  return { leaf: member.leaf, account: newcomer.account }
}

function memberOf(group: Group, { account, deviceId }: Pick<Member, 'account' | 'deviceId'>): Member | undefined {
  return members(group).find((member) => equalBytes(member.account, account) && equalBytes(member.deviceId, deviceId))
}

function welcomeOf({ welcomes }: StagedCommit, { keyPackageRef }: Newcomer): Uint8Array {
  const own = welcomes.find((one) => toBase64url(one.keyPackageRef) === toBase64url(keyPackageRef))
  if (own === undefined) throw new UsageError('commit/no-welcome')
  return own.welcome
}
