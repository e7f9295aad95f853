import { StoreError } from '#core/errors.ts'
import { OUTER_EXPORT } from '#core/message/outer.ts'
import { decodeGroup, encodeGroup, encodeRatchets, exportSecret, type Group } from '#core/mls/index.ts'
import type { Head } from '#core/wire/ids.ts'
import { MAX_COMMITS_BEHIND } from '#core/wire/limits.ts'
import { deviceSigner } from '../account/device-signer.ts'
import { readDevice } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import type { ChannelRecord, SyncRecord } from '../ports/records.ts'

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
  const [channel, sync, tree, epoch, ratchets] = await Promise.all([
    store.get('channels', id),
    store.get('syncs', id),
    store.get('trees', id),
    store.get('epochs', id),
    store.get('ratchets', id),
  ])
  if (channel === undefined || sync === undefined) return undefined
  if (tree === undefined || epoch === undefined || ratchets === undefined) throw new StoreError('store/group-missing')
  const signer = await deviceSigner(handles, await readDevice(store))
  const group = decodeGroup({ tree: tree.bytes, epoch: epoch.bytes, ratchets: ratchets.bytes }, signer)
  return { id, channel, sync, group }
}

/**
 * What changed of a group's state: a message touches the ratchets alone; one of a past epoch also what opens that epoch,
 * where its key would else stay derivable from the disk; a commit everything.
 */
export type GroupChange = 'ratchets' | 'past' | 'epoch'

export function saveGroup(draft: Draft, id: string, group: Group, changed: GroupChange): void {
  if (changed === 'ratchets') {
    draft.put('ratchets', id, { bytes: encodeRatchets(group) })
    return
  }
  const parts = encodeGroup(group)
  draft.put('ratchets', id, { bytes: parts.ratchets })
  draft.put('epochs', id, { bytes: parts.epoch })
  if (changed === 'epoch') draft.put('trees', id, { bytes: parts.tree })
}

const KEPT_HEADS = 32

/** Past one position: the chain goes on there. */
export function advance(sync: SyncRecord, position: number, head: Head): SyncRecord {
  return {
    ...sync,
    cursor: position,
    head,
    heads: [...sync.heads, { position, head }].slice(-KEPT_HEADS),
    ahead: sync.ahead.filter((own) => own > position),
  }
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
