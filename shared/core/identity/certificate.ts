import { concatBytes } from '../bytes/concat.ts'
import { equalBytes } from '../bytes/equal.ts'
import { Reader } from '../bytes/reader.ts'
import { Writer } from '../bytes/writer.ts'
import { certificateLabel } from '../crypto/labels.ts'
import { SIGNATURE_BYTES, type SigningKey, VERIFYING_KEY_BYTES, verify } from '../crypto/sign.ts'
import { WireError } from '../errors.ts'
import { ACCOUNT_BYTES, type AccountId, DEVICE_BYTES, type DeviceId } from '../wire/ids.ts'

/**
 * Device certificate: the account's root says that a device is its own (docs/spec/identity.md). These bytes are the
 * identity in the device's MLS basic credential.
 *
 *    1B  version (0x01)
 *   32B  account: the root's Ed25519 public key
 *   16B  device id
 *   32B  device signing key (Ed25519)
 *    4B  sequence, big-endian
 *   64B  the root's signature over label and all of the above
 *
 * It does not expire: the manifest revokes.
 */
export type Certified = {
  readonly account: AccountId
  readonly deviceId: DeviceId
  readonly signatureKey: Uint8Array
  readonly sequence: number
}
export type Certificate = Certified & { readonly signature: Uint8Array }

const VERSION = 0x01
export const CERTIFICATE_BYTES = 1 + ACCOUNT_BYTES + DEVICE_BYTES + VERIFYING_KEY_BYTES + 4 + SIGNATURE_BYTES

export function encodeCertificate(certificate: Certificate): Uint8Array {
  return concatBytes(encodeCertified(certificate), certificate.signature)
}

/** Parses only: `verifyCertificate` says whether it holds. */
export function decodeCertificate(bytes: Uint8Array): Certificate {
  const r = new Reader(bytes, CERTIFICATE_BYTES)
  if (r.u8() !== VERSION) throw new WireError('certificate/version')
  const certificate = {
    account: r.take(ACCOUNT_BYTES) as AccountId,
    deviceId: r.take(DEVICE_BYTES) as DeviceId,
    signatureKey: r.take(VERIFYING_KEY_BYTES),
    sequence: r.u32(),
    signature: r.take(SIGNATURE_BYTES),
  }
  r.end()
  return certificate
}

export async function signCertificate(fields: Certified, root: Pick<SigningKey, 'sign'>): Promise<Certificate> {
  const { account, deviceId, signatureKey, sequence } = fields
  const signature = await root.sign(concatBytes(certificateLabel, encodeCertified(fields)))
  return { account, deviceId, signatureKey, sequence, signature }
}

/** IDN2: signed by the very account that it names. Whether the device is still the account's, its manifest says. */
export function verifyCertificate(certificate: Certificate): Promise<boolean> {
  const signed = concatBytes(certificateLabel, encodeCertified(certificate))
  return verify(certificate.account, signed, certificate.signature)
}

/** IDN3: what never changes in a device's life. A later certificate of it has a higher sequence. */
export function sameDevice(a: Certified, b: Certified): boolean {
  return (
    equalBytes(a.account, b.account) && equalBytes(a.deviceId, b.deviceId) && equalBytes(a.signatureKey, b.signatureKey)
  )
}

function encodeCertified({ account, deviceId, signatureKey, sequence }: Certified): Uint8Array {
  return new Writer().u8(VERSION).raw(account).raw(deviceId).raw(signatureKey).u32(sequence).done()
}
