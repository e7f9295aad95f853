import { toBase64url } from '#core/bytes/base64url.ts'
import { InputError } from '#core/errors.ts'
import { decodeCertificate } from '#core/identity/certificate.ts'
import { encodeInvitationLink, sealInvitation } from '#core/identity/invitation.ts'
import { encodeOffer } from '#core/message/offer.ts'
import { DEFAULT_SUITE, makeKeyPackage } from '#core/mls/index.ts'
import {
  INVITATION_BYTES,
  type InvitationId,
  LABEL_BYTES,
  TOKEN_BYTES,
  type Token,
  type WakeLabel,
} from '#core/wire/ids.ts'
import { deviceSigner } from '../account/device-signer.ts'
import { readAccount, readDevice, readRealm } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import type { InvitationRecord } from '../ports/records.ts'

const SECRET_BYTES = 32
const DAY_MS = 24 * 60 * 60 * 1000
const INVITATION_LIFETIME_MS = 7 * DAY_MS
/** The invitation ends before its key package does. */
const KEY_PACKAGE_LIFETIME_MS = INVITATION_LIFETIME_MS + DAY_MS

/** A group that whoever claims it comes into as well; its title is read by whoever opens the link. */
type Into = NonNullable<InvitationRecord['into']> & { readonly title: string }

/**
 * Makes an invitation: a link whose fragment opens, once, a blob that only it can open (C-12). Needs the realm for the
 * drop; putting the blob there is repeated until it is done.
 */
export async function createInvitation(deps: Deps, into?: Into): Promise<InvitationRecord> {
  const [account, device, realm] = await Promise.all([
    readAccount(deps.store),
    readDevice(deps.store),
    readRealm(deps.store),
  ])
  if (account === undefined || device === undefined) throw new InputError('identity/none')
  if (device.unlisted) throw new InputError('devices/unlisted') // nobody would take it for the account's (K-05)
  if (realm === undefined) throw new InputError('realm/none')
  const id = deps.dice(INVITATION_BYTES) as InvitationId
  const secret = deps.dice(SECRET_BYTES)
  const label = deps.dice(LABEL_BYTES) as WakeLabel
  const { drop } = await deps.relay.call('mailbox.drop', { address: realm.mailbox, token: realm.mailboxToken, label })
  const nowMs = deps.clock.now()
  const keyPackage = await makeKeyPackage(
    {
      suite: DEFAULT_SUITE,
      signer: await deviceSigner(deps.handles, device),
      certificate: device.certificate,
      nowMs,
      lifetimeMs: KEY_PACKAGE_LIFETIME_MS,
    },
    deps.dice,
  )
  const { deviceId } = decodeCertificate(device.certificate)
  const offer = encodeOffer({
    name: account.name,
    manifest: account.manifest,
    devices: [{ deviceId, keyPackage: keyPackage.keyPackage, drop }],
    ...(into && { channel: { title: into.title, ask: into.ask } }),
  })
  const record: InvitationRecord = {
    id,
    secret,
    token: deps.dice(TOKEN_BYTES) as Token,
    label,
    expiresAtMs: nowMs + INVITATION_LIFETIME_MS,
    state: 'open',
    link: encodeInvitationLink({ origin: realm.origin, realmKey: realm.noiseKey, id, secret }),
    published: false,
    blob: await sealInvitation(secret, id, offer),
    keyPackage: keyPackage.keyPackage,
    keyPackageRef: keyPackage.ref,
    keyPackageSecret: keyPackage.secret,
    ...(into && { into: { channelId: into.channelId, ask: into.ask } }),
  }
  await deps.store.write([{ put: 'invitations', key: toBase64url(id), record }])
  return record
}
