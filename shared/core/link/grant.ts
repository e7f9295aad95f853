import { concatBytes } from '../bytes/concat.ts'
import { equalBytes } from '../bytes/equal.ts'
import { openRandomNonce, sealRandomNonce } from '../crypto/aead.ts'
import { labels } from '../crypto/labels.ts'
import type { Dice } from '../crypto/random.ts'
import { CryptoError, WireError } from '../errors.ts'
import {
  CERTIFICATE_BYTES,
  type Certificate,
  decodeCertificate,
  encodeCertificate,
  verifyCertificate,
} from '../identity/certificate.ts'
import { checkManifest, type Manifest } from '../identity/manifest.ts'
import { originOf } from '../identity/origin.ts'
import { decodeKeyRing, hashKeyRing, type KeyRing, MAX_KEY_RING_BYTES } from '../keys/key-ring.ts'
import { pad, unpad } from '../padding/padding.ts'
import { decodeCbor, encodeCbor } from '../wire/cbor.ts'
import { DEVICE_BYTES, type DeviceId } from '../wire/ids.ts'
import { MAX_LINK_BYTES, MAX_MANIFEST_BYTES } from '../wire/limits.ts'
import { bytes, fixed, object, type TypeOf, text, uint } from '../wire/schema.ts'
import type { NewDevice } from './ask.ts'
import type { Session } from './session.ts'
import { decodeSealed, encodeSealed, SLOTS } from './slots.ts'

/** What the holder gives the new device (LNK7): everything of the account but its root. */
const MAX_NAME_UNITS = 256
const MAX_ORIGIN_UNITS = 300
const SEAL_OVERHEAD_BYTES = 2 + 12 + 16 // version and slot, nonce, tag

const given = {
  name: text(MAX_NAME_UNITS), // the account's
  by: fixed<DeviceId>(DEVICE_BYTES), // the holder
  certificate: fixed(CERTIFICATE_BYTES),
  manifest: bytes(MAX_MANIFEST_BYTES),
  keyRing: bytes(MAX_KEY_RING_BYTES),
  vaultNumber: uint(0xffff_ffff),
  origin: text(MAX_ORIGIN_UNITS),
  realmKey: fixed(32),
}
const grant = object(given)
const grantBody = object({ v: uint(1), ...given })

export type Grant = TypeOf<typeof grant>
/** As the new device may use it: certificate, manifest and ring belong together, and to it. */
export type CheckedGrant = {
  readonly grant: Grant
  readonly certificate: Certificate
  readonly manifest: Manifest
  readonly ring: KeyRing
}

export async function sealGrant({ grantKey, transcript }: Session, granted: Grant, dice: Dice): Promise<Uint8Array> {
  const padded = pad(encodeCbor({ v: 1, ...granted }), SEAL_OVERHEAD_BYTES)
  const sealed = encodeSealed(SLOTS.grant, await sealRandomNonce(grantKey, padded, boundTo(transcript), dice))
  if (sealed.length > MAX_LINK_BYTES) throw new WireError('link/too-large')
  return sealed
}

/** @throws WireError, CryptoError */
export async function openGrant({ grantKey, transcript }: Session, sealed: Uint8Array): Promise<Grant> {
  const padded = await openRandomNonce(grantKey, decodeSealed(SLOTS.grant, sealed), boundTo(transcript))
  const { v: _, ...granted } = grantBody.check(decodeCbor(unpad(padded), MAX_LINK_BYTES))
  return granted
}

/** @throws WireError; CryptoError 'link/certificate', 'link/manifest', 'link/key-ring' or one of `checkManifest` */
export async function checkGrant(granted: Grant, own: NewDevice): Promise<CheckedGrant> {
  if (originOf(granted.origin) !== granted.origin) throw new WireError('link/origin')
  const certificate = decodeCertificate(granted.certificate)
  const isOwn = equalBytes(certificate.deviceId, own.deviceId) && equalBytes(certificate.signatureKey, own.signatureKey)
  if (!isOwn || !(await verifyCertificate(certificate))) throw new CryptoError('link/certificate')
  const manifest = await checkManifest(granted.manifest, certificate.account)
  const isListed = manifest.devices.some(
    (listed) =>
      equalBytes(encodeCertificate(listed.certificate), granted.certificate) && equalBytes(listed.hpkeKey, own.hpkeKey),
  )
  if (!isListed) throw new CryptoError('link/manifest')
  const ring = decodeKeyRing(granted.keyRing)
  const isSigned = manifest.vault !== undefined && equalBytes(hashKeyRing(ring), manifest.vault.keyRingHash)
  if (!isSigned || !equalBytes(ring.account, certificate.account)) throw new CryptoError('link/key-ring')
  return { grant: granted, certificate, manifest, ring }
}

function boundTo(transcript: Uint8Array): Uint8Array {
  return concatBytes(labels.linkGrant, transcript)
}
