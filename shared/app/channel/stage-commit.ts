import { toBase64url } from '#core/bytes/base64url.ts'
import { sha256 } from '#core/crypto/hash.ts'
import { CryptoError, InputError, UsageError, WireError } from '#core/errors.ts'
import { sealOuter } from '#core/message/outer.ts'
import { encodeStaged, stageCommit } from '#core/mls/index.ts'
import { POST_ID_BYTES, type PostId } from '#core/wire/ids.ts'
import { seatChangesBytes } from '#core/wire/seats.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import type { AccountRecord, PendingRecord } from '../ports/records.ts'
import { introduce } from './introduce.ts'
import type { Loaded } from './loaded.ts'
import { type Newcomer, newcomersOf } from './newcomers.ts'

type Staged = { readonly loaded: Loaded; readonly pending: PendingRecord | undefined }

/** Stages the changes that are due as one commit and stores it; nothing leaves before that (C-03, I-04). */
export async function stageWanted(deps: Deps, loaded: Loaded, account: AccountRecord): Promise<Staged> {
  const now = deps.clock.now()
  const due = loaded.sync.wanted.filter((wanted) => wanted.want === 'add' || wanted.notBeforeMs <= now)
  if (due.length === 0) return { loaded, pending: undefined }
  const isAdding = due.some((wanted) => wanted.want === 'add')
  try {
    const moderator = loaded.channel.kind === 'direct'
    const newcomers = (await Promise.all(due.map((wanted) => newcomersOf(deps, wanted, moderator)))).flat()
    return { loaded, pending: await stage(deps, loaded, account, due, newcomers) }
  } catch (error) {
    const isRefused = error instanceof CryptoError || error instanceof InputError || error instanceof WireError
    if (!isAdding || !isRefused) throw error
    // Key packages that are not good, or no more, never will be: the channel goes on without those devices.
    const sync = { ...loaded.sync, wanted: loaded.sync.wanted.filter((wanted) => wanted.want !== 'add') }
    const draft = new Draft(deps.store)
    draft.put('syncs', loaded.id, sync)
    await draft.commit()
    return stageWanted(deps, { ...loaded, sync }, account)
  }
}

async function stage(
  deps: Deps,
  loaded: Loaded,
  account: AccountRecord,
  due: PendingRecord['settles'],
  newcomers: readonly Newcomer[],
): Promise<PendingRecord> {
  const now = deps.clock.now()
  const seats = { add: newcomers.map((newcomer) => newcomer.seat), remove: [] }
  const staged = await stageCommit(
    loaded.group,
    {
      adds: newcomers.map((newcomer) => newcomer.keyPackage),
      removes: [],
      authenticatedData: {
        timeMs: now,
        seatsHash: sha256(seatChangesBytes(seats)),
        manifests: newcomers.map((newcomer) => newcomer.manifest),
      },
    },
    deps.dice,
  )
  const outer = loaded.sync.keys.at(-1)
  if (outer === undefined) throw new UsageError('sync/no-key')
  const envelope = await sealOuter(outer.key, loaded.sync.address, staged.commit)
  const added = newcomers.map(({ seat, deviceId }) => ({ seat: seat.id, deviceId }))
  const about = { loaded, account, tree: staged.tree, added }
  const welcomes = await Promise.all(
    newcomers.map(async (newcomer) => {
      const welcome = staged.welcomes.find(
        (one) => toBase64url(one.keyPackageRef) === toBase64url(newcomer.keyPackageRef),
      )
      if (welcome === undefined) throw new UsageError('commit/no-welcome')
      return { drop: newcomer.seat.drop, envelope: await introduce(about, newcomer, welcome.welcome) }
    }),
  )
  const pending: PendingRecord = {
    id: deps.dice(POST_ID_BYTES) as PostId,
    after: loaded.sync.lastCommit,
    commits: loaded.sync.commits,
    envelope,
    seats,
    welcomes,
    next: encodeStaged(staged.next, loaded.group),
    added,
    settles: due,
  }
  // What the commit spends is part of the current epoch until the relay has ordered it: wiped on merging, not here.
  const draft = new Draft(deps.store)
  draft.put('pendings', loaded.id, pending)
  await draft.commit()
  return pending
}
