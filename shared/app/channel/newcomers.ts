import { equalBytes } from '#core/bytes/equal.ts'
import { labels } from '#core/crypto/labels.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import { CryptoError, InputError, UsageError, WireError } from '#core/errors.ts'
import { checkManifest } from '#core/identity/manifest.ts'
import { decodeOffer, type Offer } from '#core/message/offer.ts'
import { placeOf } from '#core/message/roster.ts'
import { type ReadKeyPackage, readKeyPackage, type SuiteId } from '#core/mls/index.ts'
import {
  type AccountId,
  type DeviceId,
  ENTRY_BYTES,
  type EntryId,
  type InvitationId,
  SEAT_BYTES,
  type SeatId,
  TOKEN_BYTES,
  type Token,
} from '#core/wire/ids.ts'
import type { NewSeat } from '#core/wire/seats.ts'
import type { Deps } from '../deps.ts'
import type { Wanted } from '../ports/records.ts'
import { roleIn } from './follow-group.ts'
import type { Loaded } from './loaded.ts'

/** A device that a commit is to add: its key package, and the seat it gets at the relay. */
export type Newcomer = {
  readonly account: AccountId
  readonly deviceId: DeviceId
  readonly keyPackage: Uint8Array
  readonly keyPackageRef: Uint8Array
  readonly hpkeKey: Uint8Array
  readonly manifest: Uint8Array
  /** What the introduction names: the invitation, or the key package itself. */
  readonly answers: { readonly invitation: InvitationId } | { readonly keyPackage: Uint8Array }
  readonly seat: NewSeat
  readonly token: Token
  readonly entry: { readonly id: EntryId; readonly token?: Token }
}

/** The devices behind an opened invitation, less those that their account's manifest does not list (K-05). @throws as devicesOf */
export async function newcomersOf(
  deps: Deps,
  { channel, sync, group }: Loaded,
  wanted: Wanted,
): Promise<readonly Newcomer[]> {
  const found = await offerOf(deps, wanted)
  if (found === undefined) return []
  const { offer, invitation } = found
  const { account, devices } = await devicesOf(offer, group.suite)
  const known = placeOf(sync, account)
  const entryToken = deps.dice(TOKEN_BYTES) as Token
  // Who has a place here already has its token too, which nobody else knows.
  const entry = known === undefined ? { id: deps.dice(ENTRY_BYTES) as EntryId, token: entryToken } : { id: known.entry }
  return devices.map(({ device, hpkeKey, keyPackageRef }) => {
    const token = deps.dice(TOKEN_BYTES) as Token
    return {
      account,
      deviceId: device.deviceId,
      keyPackage: device.keyPackage,
      keyPackageRef,
      hpkeKey,
      manifest: offer.manifest,
      answers: invitation === undefined ? { keyPackage: keyPackageRef } : { invitation },
      token,
      entry,
      seat: {
        id: deps.dice(SEAT_BYTES) as SeatId,
        tokenHash: hashToken(labels.seatToken, token),
        moderator: channel.kind === 'direct' || roleIn(group, account) !== 'member',
        drop: device.drop,
        entry: { id: entry.id, tokenHash: hashToken(labels.entryToken, entryToken) },
      },
    }
  })
}

type Found = { readonly offer: Pick<Offer, 'manifest' | 'devices'>; readonly invitation?: InvitationId }

async function offerOf({ store }: Pick<Deps, 'store'>, wanted: Wanted): Promise<Found | undefined> {
  if (wanted.want === 'person') {
    const offer = await store.get('offers', wanted.offer)
    return offer && { offer }
  }
  if (wanted.want !== 'add') return undefined
  const claim = await store.get('claims', wanted.claim)
  if (claim?.offer === undefined) throw new UsageError('claim/no-offer')
  return { offer: decodeOffer(claim.offer), invitation: claim.id }
}

type Offered = {
  readonly device: Offer['devices'][number]
  readonly hpkeKey: Uint8Array
  readonly keyPackageRef: Uint8Array
}

/** @throws InputError 'invitation/manifest' when no device of the offer can be added */
export async function devicesOf(
  offer: Pick<Offer, 'manifest' | 'devices'>,
  suite: SuiteId, // the group's
): Promise<{ readonly account: AccountId; readonly devices: readonly Offered[] }> {
  const manifest = await checkManifest(offer.manifest)
  const devices: Offered[] = []
  for (const device of offer.devices) {
    const listed = manifest.devices.find((entry) => equalBytes(entry.certificate.deviceId, device.deviceId))
    const keyPackage = await readIfGood(device.keyPackage)
    if (listed === undefined || keyPackage?.suite !== suite) continue
    if (!equalBytes(keyPackage.certificate.signatureKey, listed.certificate.signatureKey)) continue
    devices.push({ device, hpkeKey: listed.hpkeKey, keyPackageRef: keyPackage.ref })
  }
  if (devices.length === 0) throw new InputError('invitation/manifest')
  return { account: manifest.account, devices }
}

async function readIfGood(keyPackage: Uint8Array): Promise<ReadKeyPackage | undefined> {
  try {
    return await readKeyPackage(keyPackage)
  } catch (error) {
    if (error instanceof CryptoError || error instanceof WireError) return undefined
    throw error
  }
}
