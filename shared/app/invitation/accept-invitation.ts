import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { signingKeyFromSeed } from '#core/crypto/sign.ts'
import { InputError } from '#core/errors.ts'
import { openInvitation, readInvitationLink, signClaim } from '#core/identity/invitation.ts'
import { checkManifest, type Manifest } from '#core/identity/manifest.ts'
import { decodeOffer, encodeOffer, type Offer } from '#core/message/offer.ts'
import { DEFAULT_SUITE } from '#core/mls/index.ts'
import { readAccount, readDevice } from '../account/read-account.ts'
import { makeChannel, newChannelId } from '../channel/make-channel.ts'
import { devicesOf } from '../channel/newcomers.ts'
import { isBlocked } from '../contact/block.ts'
import { findContact, putContact } from '../contact/find-contact.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import type { AccountRecord, ClaimRecord } from '../ports/records.ts'

const SEED_BYTES = 32

type Claiming = {
  readonly into?: string | undefined
  readonly group?: { readonly title: string } | undefined
  readonly looking?: true // the person first sees what it is
}

/** Notes a claim before anything is asked of the realm, so that a crash goes on with the same claim key (C-12). */
export async function noteClaim(
  deps: Deps,
  link: string,
  { into, group, looking }: Claiming = {},
): Promise<{ key: string; claim: ClaimRecord }> {
  const { id, secret } = readInvitationLink(link)
  const key = toBase64url(id)
  const known = await deps.store.get('claims', key)
  if (known !== undefined) return { key, claim: looking ? known : await confirmed(deps, key, known) }
  if ((await deps.store.get('invitations', key)) !== undefined) throw new InputError('invitation/own')
  const claim: ClaimRecord = {
    id,
    secret,
    claimSeed: deps.dice(SEED_BYTES),
    channelId: into ?? newChannelId(deps),
    ...(into === undefined ? {} : { into }),
    ...(group === undefined ? {} : { group }),
    ...(looking && { looking }),
  }
  await deps.store.write([{ put: 'claims', key, record: claim }])
  return { key, claim }
}

async function confirmed({ store }: Deps, key: string, { looking, ...claim }: ClaimRecord): Promise<ClaimRecord> {
  if (looking) await store.write([{ put: 'claims', key, record: claim }])
  return claim
}

/**
 * Claims an invitation and makes the channel with whoever invites; their devices are its first commit. The contact is
 * shown only after the offer's manifest was compared with the account's current one (K-05).
 * @throws InputError 'invitation/…' @throws RelayError 'invitation/used' and its kind
 */
export async function acceptInvitation(deps: Deps, key: string, claim: ClaimRecord): Promise<string> {
  if (claim.offer !== undefined) return claim.channelId
  const [account, device] = await Promise.all([readAccount(deps.store), readDevice(deps.store)])
  if (account === undefined || device === undefined) throw new InputError('identity/none')
  if (device.unlisted) throw new InputError('devices/unlisted') // nobody would take it for the account's (K-05)
  const encoded = claim.seen ?? (await fetchOffer(deps, claim))
  const offer = decodeOffer(encoded)
  const { manifest, bytes } = await currentManifest(deps, account, offer)
  const suite = (claim.into === undefined ? undefined : await deps.store.get('channels', claim.into))?.suite
  await devicesOf({ ...offer, manifest: bytes }, suite ?? DEFAULT_SUITE) // before there is a channel that nobody could come into

  const draft = new Draft(deps.store)
  const { seen: _, ...taken } = claim
  draft.put('claims', key, { ...taken, offer: encodeOffer({ ...offer, manifest: bytes }) })
  const { account: theirs, sequence } = manifest
  await putContact(deps, draft, { account: theirs, name: offer.name, manifest: bytes, sequence })
  const wanted = [{ want: 'add', claim: key }] as const
  if (claim.into === undefined) {
    const { channelId: id, group } = claim
    const made =
      group === undefined
        ? ({ kind: 'direct', title: offer.name, owners: [account.account, manifest.account] } as const)
        : ({ kind: 'group', title: group.title, owners: [account.account] } as const)
    await makeChannel(deps, draft, account, device, { id, ...made, wanted })
  } else {
    const sync = await deps.store.get('syncs', claim.into)
    if (sync === undefined) throw new InputError('channel/unknown')
    draft.put('syncs', claim.into, { ...sync, wanted: [...sync.wanted, ...wanted] })
  }
  await draft.commit()
  return claim.channelId
}

export async function fetchOffer(deps: Deps, claim: ClaimRecord): Promise<Uint8Array> {
  const claimKey = await signingKeyFromSeed(claim.claimSeed)
  const signature = await signClaim(claim.id, claimKey)
  const { blob } = await deps.relay.call('invitation.claim', { id: claim.id, claimKey: claimKey.publicKey, signature })
  return openInvitation(claim.secret, claim.id, blob)
}

/** The account's newest manifest: what the offer brought, or what the realm has since (a device may be revoked, K-07). */
export async function currentManifest(
  deps: Deps,
  account: AccountRecord,
  offer: Offer,
): Promise<{ readonly manifest: Manifest; readonly bytes: Uint8Array }> {
  const offered = await checkManifest(offer.manifest)
  if (equalBytes(offered.account, account.account)) throw new InputError('invitation/own')
  const { manifest } = await deps.relay.call('account.get', { account: offered.account })
  const contact = (await findContact(deps.store, offered.account))?.record
  if (isBlocked(contact)) throw new InputError('person/blocked') // M-11
  try {
    if (contact !== undefined) await checkManifest(offer.manifest, offered.account, contact) // K-05
    if (manifest === undefined) return { manifest: offered, bytes: offer.manifest }
    // A realm that shows an older account than the inviter did turns back its clock.
    const seen = { sequence: offered.sequence, manifest: offer.manifest }
    return { manifest: await checkManifest(manifest, offered.account, seen), bytes: manifest }
  } catch (cause) {
    throw new InputError('invitation/manifest', {}, { cause })
  }
}
