import { toBase64url } from '#core/bytes/base64url.ts'
import { firstHead } from '#core/channel/chain.ts'
import { labels } from '#core/crypto/labels.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import { UsageError } from '#core/errors.ts'
import { addressOfName } from '#core/identity/channel-name.ts'
import { checkManifest } from '#core/identity/manifest.ts'
import { withManifest } from '#core/message/roster.ts'
import {
  createGroup,
  DEFAULT_SUITE,
  ownLeafOf,
  type ProfileChange,
  type RoleChange,
  type SpacePart,
  type SuiteId,
} from '#core/mls/index.ts'
import {
  type AccountId,
  ADDRESS_BYTES,
  type Address,
  ENTRY_BYTES,
  type EntryId,
  LABEL_BYTES,
  SEAT_BYTES,
  type SeatId,
  TOKEN_BYTES,
  type Token,
  type WakeLabel,
} from '#core/wire/ids.ts'
import type { NewSeat } from '#core/wire/seats.ts'
import { deviceSigner } from '../account/device-signer.ts'
import type { Deps } from '../deps.ts'
import type { Draft } from '../draft.ts'
import type { NamedRecord } from '../ports/join-records.ts'
import type { AccountRecord, ChannelRecord, DeviceRecord, Later, SyncRecord, Wanted } from '../ports/records.ts'
import { followGroup } from './follow-group.ts'
import { type Loaded, outerKeyOf, saveGroup } from './loaded.ts'

const GROUP_ID_BYTES = 32
const CHANNEL_ID_BYTES = 9

/** Ids of channels on this device alone: the database's keys say nothing that the relay knows. */
export function newChannelId(deps: Deps): string {
  return toBase64url(deps.dice(CHANNEL_ID_BYTES))
}

type NewChannel = {
  readonly id: string
  readonly kind: 'direct' | 'group'
  readonly suite?: SuiteId
  readonly title: string
  readonly owners: readonly AccountId[]
  readonly wanted: readonly Wanted[]
  readonly later?: readonly Later[]
  readonly profile?: ProfileChange
  readonly roles?: readonly RoleChange[] // that others have as soon as they come in
  readonly space?: SpacePart
  readonly named?: NamedRecord // it is found by this name, and lies where the name says (C-09)
}

/** A channel with this device alone in it; what is wanted (the other's devices) is its first commit. */
export async function makeChannel(
  deps: Deps,
  draft: Draft,
  account: AccountRecord,
  device: DeviceRecord,
  {
    id,
    kind,
    suite = DEFAULT_SUITE,
    title,
    owners,
    wanted,
    later = [],
    profile = {},
    roles = [],
    space,
    named,
  }: NewChannel,
): Promise<void> {
  const groupId = deps.dice(GROUP_ID_BYTES)
  const group = await createGroup(
    {
      suite,
      groupId,
      signer: await deviceSigner(deps.handles, device),
      certificate: device.certificate,
      kind,
      roles: [...roles, ...owners.map((owner) => ({ account: owner, role: 'owner' as const }))],
      manifests: [{ account: account.account, sequence: account.sequence }],
      ...(kind === 'group' ? { profile: { ...profile, title } } : {}),
      ...(space && { space }),
      nowMs: deps.clock.now(),
    },
    deps.dice,
  )
  const address = named === undefined ? (deps.dice(ADDRESS_BYTES) as Address) : addressOfName(named.name)
  const seat = deps.dice(SEAT_BYTES) as SeatId
  const entry = { id: deps.dice(ENTRY_BYTES) as EntryId, token: deps.dice(TOKEN_BYTES) as Token }
  const place = { account: account.account, entry: entry.id, sequence: 0, since: 0 }
  const sync: SyncRecord = {
    address,
    seat,
    token: deps.dice(TOKEN_BYTES) as Token,
    label: deps.dice(LABEL_BYTES) as WakeLabel,
    opening: true,
    joinedAt: 0,
    cursor: 0,
    head: firstHead(address),
    commits: 0,
    lastCommit: 0,
    acked: 0,
    keys: [{ commits: 0, key: await outerKeyOf(group) }],
    owed: [],
    wanted,
    ...(later.length === 0 ? {} : { later }),
    seats: [{ leaf: ownLeafOf(group), seat, entry: entry.id, moderator: true }],
    accounts: [withManifest(place, await checkManifest(account.manifest))],
  }
  const channel: ChannelRecord = {
    title,
    kind,
    address,
    entry,
    state: wanted.length === 0 ? 'open' : 'joining',
    lastText: '',
    lastAtMs: deps.clock.now(),
    lastState: 'none',
    theirs: 0,
    ...(named && { named }),
  }
  saveGroup(draft, id, group, undefined)
  draft.put('syncs', id, sync)
  draft.put('channels', id, followGroup(channel, group))
}

/** Opens the channel at the relay with this device's seat; repeating it changes nothing. */
export async function openAtRelay(
  deps: Deps,
  { channel, sync }: Pick<Loaded, 'channel' | 'sync'>,
  mailbox: { address: Address; token: Token },
): Promise<void> {
  const { entry } = channel
  if (entry === undefined) throw new UsageError('channel/no-entry')
  const { drop } = await deps.relay.call('mailbox.drop', { ...mailbox, label: sync.label })
  const seat: NewSeat = {
    id: sync.seat,
    tokenHash: hashToken(labels.seatToken, sync.token),
    moderator: true,
    drop,
    entry: { id: entry.id, tokenHash: hashToken(labels.entryToken, entry.token) },
  }
  await deps.relay.call('channel.open', { address: sync.address, seat })
}
