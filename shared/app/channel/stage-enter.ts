import { equalBytes } from '#core/bytes/equal.ts'
import { firstHead } from '#core/channel/chain.ts'
import { sha256 } from '#core/crypto/hash.ts'
import { labels } from '#core/crypto/labels.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import { CryptoError, StateError } from '#core/errors.ts'
import { checkManifest } from '#core/identity/manifest.ts'
import { type ChannelState, rejoinOuterKey } from '#core/message/channel-state.ts'
import { sealOuter } from '#core/message/outer.ts'
import { changeRoster, checkRoster, placeOf, type Roster } from '#core/message/roster.ts'
import { encodeStaged, type Group, kindOf, members, membersIn, ownLeafOf, rejoinGroup } from '#core/mls/index.ts'
import {
  LABEL_BYTES,
  POST_ID_BYTES,
  type PostId,
  SEAT_BYTES,
  type SeatId,
  TOKEN_BYTES,
  type Token,
  type WakeLabel,
} from '#core/wire/ids.ts'
import { type NewSeat, type SeatChanges, seatChangesBytes } from '#core/wire/seats.ts'
import { deviceSigner } from '../account/device-signer.ts'
import type { Deps } from '../deps.ts'
import type {
  AccountRecord,
  ChannelRecord,
  DeviceRecord,
  EnterRecord,
  RealmRecord,
  SyncRecord,
} from '../ports/records.ts'
import { outerKeyOf } from './loaded.ts'
import type { Door, FoundState } from './open-state.ts'
import { sealedStateOf } from './sealed-state.ts'

export type Self = { readonly account: AccountRecord; readonly device: DeviceRecord; readonly realm: RealmRecord }

/**
 * Stages the commit by which this device comes in (C-07, MLS21), in place of its old leaf and seat if those are there. It
 * holds as long as no other commit is ordered first.
 * @throws CryptoError, WireError when the state is not good; StateError 'channel-state/manifest' when this device's manifest is too old
 */
export async function stageEnter(
  deps: Deps,
  self: Self,
  { door, channel, found }: { readonly door: Door; readonly channel: ChannelRecord; readonly found: FoundState },
): Promise<EnterRecord> {
  const { state, reply, rejoinKey } = found
  const { account, device } = self
  const removed = ownLeafIn(self, door, state)
  const ours = state.seats.filter((one) => equalBytes(one.entry, door.entry.id))
  const own = await newSeat(deps, self, door, { moderator: ours.some(({ moderator }) => moderator) })
  const remove = ours.filter(({ leaf }) => removed.includes(leaf)).map(({ seat }) => seat)
  const seats: SeatChanges = { add: [own.added], remove }
  const { groupInfo, tree, kind, title, names = [] } = state
  const authenticatedData = {
    timeMs: deps.clock.now(),
    seatsHash: sha256(seatChangesBytes(seats)),
    manifests: [account.manifest],
  }
  const signer = await deviceSigner(deps.handles, device)
  const { certificate } = device
  const { commit, next } = await rejoinGroup({ groupInfo, tree, signer, certificate, authenticatedData }, deps.dice)
  // What is shown as a conversation of two must be one by the group's own state (INT9).
  const isKnown = channel.title !== '' // a record that lines of the log alone have made does not say yet
  if (kindOf(next) !== kind || (isKnown && kind !== channel.kind)) throw new CryptoError('channel-state/kind')
  const roster = await rosterAfter(self, found, { next, removed, seats })
  const left = await sealedStateOf(next, { address: door.address, title, roster, names })
  return {
    id: deps.dice(POST_ID_BYTES) as PostId,
    after: reply.lastCommit,
    envelope: await sealOuter(rejoinOuterKey(rejoinKey), door.address, commit),
    seats,
    ...(left === undefined ? {} : { state: left }),
    next: encodeStaged(next),
    sync: await syncOf(next, door, own, { commits: reply.commits + 1, roster }),
    kind,
    title,
    names,
  }
}

/** This device's old leaf, if it is still there. */
function ownLeafIn({ account, device }: Self, { entry }: Door, state: ChannelState): readonly number[] {
  const present = membersIn(state)
  checkRoster(state, present)
  const place = placeOf(state, account.account)
  if (place === undefined || !equalBytes(place.entry, entry.id)) throw new CryptoError('channel-state/entry')
  if (place.sequence > account.sequence) throw new StateError('channel-state/manifest') // MLS21: the realm has a newer one
  const { deviceId } = device
  return present
    .filter((one) => equalBytes(one.account, account.account) && equalBytes(one.deviceId, deviceId))
    .map(({ leaf }) => leaf)
}

type OwnSeat = {
  readonly seat: SeatId
  readonly token: Token
  readonly label: WakeLabel
  readonly added: NewSeat
}

async function newSeat(
  deps: Deps,
  { realm }: Self,
  { entry }: Door,
  { moderator }: { readonly moderator: boolean },
): Promise<OwnSeat> {
  const seat = deps.dice(SEAT_BYTES) as SeatId
  const token = deps.dice(TOKEN_BYTES) as Token
  const label = deps.dice(LABEL_BYTES) as WakeLabel
  const mailbox = { address: realm.mailbox, token: realm.mailboxToken }
  const { drop } = await deps.relay.call('mailbox.drop', { ...mailbox, label })
  const added: NewSeat = {
    id: seat,
    tokenHash: hashToken(labels.seatToken, token),
    moderator,
    drop,
    entry: { id: entry.id, tokenHash: hashToken(labels.entryToken, entry.token) },
  }
  return { seat, token, label, added }
}

async function rosterAfter(
  { account }: Self,
  { state, reply }: FoundState,
  { next, removed, seats }: { readonly next: Group; readonly removed: readonly number[]; readonly seats: SeatChanges },
): Promise<Roster> {
  // Who came in by the very commit that left this state: its place is known here.
  const accounts = state.accounts.map((one) => ({ since: reply.at, ...one }))
  const added = [{ leaf: ownLeafOf(next), account: account.account }]
  const manifests = [await checkManifest(account.manifest)]
  const change = { by: account.account, added, removed, manifests, seats }
  const roster = changeRoster({ seats: state.seats, accounts }, change)
  checkRoster(roster, members(next))
  return roster
}

async function syncOf(
  next: Group,
  { address }: Door,
  { seat, token, label }: OwnSeat,
  { commits, roster }: { readonly commits: number; readonly roster: Roster },
): Promise<SyncRecord> {
  return {
    address,
    seat,
    token,
    label,
    cursor: 0,
    head: firstHead(address),
    commits,
    lastCommit: 0,
    acked: 0,
    keys: [{ commits, key: await outerKeyOf(next) }],
    owed: [],
    wanted: [],
    ...roster,
  }
}
