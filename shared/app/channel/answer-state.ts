import { equalBytes } from '#core/bytes/equal.ts'
import { RelayError, StoreError } from '#core/errors.ts'
import { STASH_ID_BYTES } from '#core/message/stashed.ts'
import type { EntryId } from '#core/wire/ids.ts'
import type { ReplyOf } from '#core/wire/operations.ts'
import { readAccount } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import type { SyncRecord } from '../ports/records.ts'
import type { Loaded } from './loaded.ts'
import { namesOf } from './names.ts'
import { leftStateOf } from './sealed-state.ts'
import { spread } from './spread.ts'
import { putStash } from './stash.ts'

/** Some seats are asked at once: the first that answers is enough. */
const WITHIN_MS = 10_000
/** Another epoch is to be applied here first. */
const LATER_MS = 5_000
/** Another member was faster, the epoch is over, or there is no room for it: whoever asked asks again. */
const NOT_WANTED: ReadonlySet<string> = new Set([
  'state/unasked',
  'channel/commit-lost',
  'stash/incomplete',
  'stash/taken',
  'quota/stash',
])

/** The relay says that devices of these accounts wait for a state, and that this seat is one of those it asks (BCK6). */
export async function noteStateWanted(
  deps: Deps,
  loaded: Loaded,
  wanted: ReplyOf<'channel.fetch'>['wanted'],
): Promise<Loaded> {
  const { stateWanted: before, ...others } = loaded.sync
  if (wanted === undefined || wanted.length === 0) return before === undefined ? loaded : put(deps, loaded, others)
  if (before !== undefined && isSame(before.entries, wanted)) return loaded
  const notBeforeMs = before?.notBeforeMs ?? deps.clock.now() + spread(deps, WITHIN_MS)
  return put(deps, loaded, { ...others, stateWanted: { entries: wanted, notBeforeMs } })
}

/** Leaves the state of this epoch for who asked. Nothing changes in the group: a crash anywhere in between leaves it to do. */
export async function answerState(deps: Deps, loaded: Loaded): Promise<Loaded> {
  const { stateWanted, ...sync } = loaded.sync
  if (stateWanted === undefined || stateWanted.notBeforeMs > deps.clock.now()) return loaded
  const { address, seat, token, cursor, lastCommit } = sync
  const key = { address, seat, token }
  const now = await deps.relay.call('channel.fetch', { ...key, after: cursor }) // a large state is not made for nothing
  if (now.wanted === undefined) return put(deps, loaded, sync)
  if (now.lastCommit !== lastCommit) {
    const notBeforeMs = deps.clock.now() + LATER_MS
    return put(deps, loaded, { ...sync, stateWanted: { ...stateWanted, notBeforeMs } })
  }
  try {
    await leave(deps, loaded, now.wanted)
  } catch (error) {
    if (!(error instanceof RelayError && NOT_WANTED.has(error.code))) throw error
  }
  return put(deps, loaded, sync)
}

async function leave(deps: Deps, loaded: Loaded, entries: readonly EntryId[]): Promise<void> {
  const { group, channel, sync } = loaded
  const account = await readAccount(deps.store)
  if (account === undefined) throw new StoreError('store/keys-missing')
  const { address, seat, token, lastCommit } = sync
  const names = await namesOf(deps, loaded, account, sync)
  const roster = { seats: sync.seats, accounts: sync.accounts }
  const { state, pieces } = await leftStateOf(group, { address, title: channel.title, roster, names }, entries)
  const stash = pieces.length === 0 ? undefined : { id: deps.dice(STASH_ID_BYTES), pieces }
  await putStash(deps, sync, { ...(stash && { stash }) })
  const name = stash && { id: stash.id, pieces: pieces.length }
  await deps.relay.call('channel.answer', {
    address,
    seat,
    token,
    after: lastCommit,
    state,
    ...(name && { stash: name }),
  })
}

function isSame(a: readonly EntryId[], b: readonly EntryId[]): boolean {
  return a.length === b.length && a.every((entry) => b.some((other) => equalBytes(entry, other)))
}

async function put(deps: Deps, loaded: Loaded, sync: SyncRecord): Promise<Loaded> {
  const draft = new Draft(deps.store)
  draft.put('syncs', loaded.id, sync)
  await draft.commit()
  return { ...loaded, sync }
}
