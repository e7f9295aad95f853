import { StoreError } from '#core/errors.ts'
import { OUTER_EXPORT } from '#core/message/outer.ts'
import { decodeGroup, encodeGroup, exportSecret, type Group, type GroupRow, type Signer } from '#core/mls/index.ts'
import type { Head } from '#core/wire/ids.ts'
import { MAX_COMMITS_BEHIND } from '#core/wire/limits.ts'
import { deviceSigner } from '../account/device-signer.ts'
import { readDevice } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import type { ChannelRecord, SyncRecord } from '../ports/records.ts'
import type { RowKey, Store } from '../ports/store.ts'
import { noteHead } from './heads.ts'

/** A channel as the engine works on it: what the store holds, decoded once and replaced after every write. */
export type Loaded = {
  readonly id: string
  readonly channel: ChannelRecord
  readonly sync: SyncRecord
  readonly group: Group
}

export async function loadChannel(
  { store, handles }: Pick<Deps, 'store' | 'handles'>,
  id: string,
): Promise<Loaded | undefined> {
  const [channel, sync] = await Promise.all([store.get('channels', id), store.get('syncs', id)])
  if (channel === undefined || sync === undefined || channel.state === 'returning') return undefined
  const group = await loadGroup(store, id, await deviceSigner(handles, await readDevice(store)))
  if (group === undefined) throw new StoreError('store/group-missing')
  return { id, channel, sync, group }
}

const PARTS = ['nodes', 'epochs', 'ratchets'] as const

export async function loadGroup(store: Store, id: string, signer: Signer): Promise<Group | undefined> {
  const read = PARTS.map(async (part) => {
    const rows = await store.list(part, { of: id })
    return rows.map(({ key, record }): GroupRow => ({ part, at: numberIn(key), bytes: record.bytes }))
  })
  const rows = (await Promise.all(read)).flat()
  return rows.length === 0 ? undefined : decodeGroup(rows, signer)
}

function numberIn(key: RowKey): number {
  const at = typeof key === 'object' ? key[1] : undefined
  if (typeof at !== 'number') throw new StoreError('store/group-key')
  return at
}

/**
 * Writes what changed of a group since it was stored (MLS16): `stored` is the value that the store holds, undefined when it holds none.
 * A message puts a few small rows, a commit the pages of one path.
 */
export function saveGroup(draft: Draft, id: string, group: Group, stored: Group | undefined): void {
  const { put, drop } = encodeGroup(group, stored)
  for (const { part, at, bytes } of put) draft.put(part, [id, at], { bytes })
  for (const { part, at } of drop) draft.delete(part, [id, at])
}

/** For a state that is given up: nothing of it is left beside the one that takes its place. */
export async function dropGroup(store: Pick<Store, 'list'>, draft: Draft, id: string): Promise<void> {
  for (const part of [...PARTS, 'agreed', 'heads'] as const)
    for (const { key } of await store.list(part, { of: id })) draft.delete(part, key)
}

/** Past one position: the chain goes on there. */
export function advance(
  draft: Draft,
  { id, sync }: Pick<Loaded, 'id' | 'sync'>,
  position: number,
  head: Head,
): SyncRecord {
  noteHead(draft, id, position, head)
  return { ...sync, cursor: position, head }
}

/** A commit was ordered: the next envelopes name a higher count, whether or not a new epoch began (void commits). */
export function countCommit(sync: SyncRecord, position: number, outerKey: Uint8Array): SyncRecord {
  const commits = sync.commits + 1
  return {
    ...sync,
    commits,
    lastCommit: position,
    // One more than the relay lets a post lag, for the envelopes that were ordered just before.
    keys: [...sync.keys, { commits, key: outerKey }].slice(-(MAX_COMMITS_BEHIND + 2)),
  }
}

export function outerKeyOf(group: Group): Promise<Uint8Array> {
  return exportSecret(group, OUTER_EXPORT.label, new Uint8Array(), OUTER_EXPORT.length)
}
