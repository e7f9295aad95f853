import { concatBytes } from '../bytes/concat.ts'
import { equalBytes } from '../bytes/equal.ts'
import { Reader } from '../bytes/reader.ts'
import { Writer } from '../bytes/writer.ts'
import { manifestLabel } from '../crypto/labels.ts'
import { SIGNATURE_BYTES, type SigningKey, verify } from '../crypto/sign.ts'
import { isDhPublicKey } from '../crypto/x25519.ts'
import { CryptoError, StateError, UsageError, WireError } from '../errors.ts'
import { ACCOUNT_BYTES, type AccountId, HASH_BYTES } from '../wire/ids.ts'
import { MAX_MANIFEST_BYTES } from '../wire/limits.ts'
import {
  CERTIFICATE_BYTES,
  type Certificate,
  decodeCertificate,
  encodeCertificate,
  verifyCertificate,
} from './certificate.ts'

/**
 * Manifest: the devices of an account and the doors of its vault, signed by the root (docs/spec/identity.md, K-05).
 *
 *    1B  version (0x01)
 *   32B  account
 *    4B  sequence, big-endian
 *    1B  number of devices, at most 64
 *        of each, by device id ascending:  149B certificate  32B device HPKE key (X25519)
 *    1B  is there a vault? 0 or 1; if 1:
 *          4B + nB  public half of the phrase's door     4B  generation of the key ring
 *              32B  hash of the key ring                32B  account HPKE key (X25519)
 *   64B  the root's signature over label and all of the above
 */
export type Manifest = {
  readonly account: AccountId
  readonly sequence: number
  readonly devices: readonly ListedDevice[]
  readonly vault?: VaultDoors
}
export type ListedDevice = { readonly certificate: Certificate; readonly hpkeKey: Uint8Array }
export type VaultDoors = {
  readonly phraseDoor: Uint8Array
  readonly generation: number
  readonly keyRingHash: Uint8Array
  readonly hpkeKey: Uint8Array
}
/** Its bytes parsed: nothing that they say is checked yet. */
type DecodedManifest = { readonly manifest: Manifest; readonly signed: Uint8Array; readonly signature: Uint8Array }

const VERSION = 0x01
const HPKE_KEY_BYTES = 32
export const MAX_DEVICES = 64
const MAX_DOOR_BYTES = 2048 // an X-Wing public key has 1,216

export async function signManifest(manifest: Manifest, root: Pick<SigningKey, 'sign'>): Promise<Uint8Array> {
  const signed = encodeSigned(manifest)
  return concatBytes(signed, await root.sign(concatBytes(manifestLabel, signed)))
}

/** The newest manifest of the account that was seen before, as its record holds it. */
export type SeenManifest = { readonly sequence: number; readonly manifest: Uint8Array }

/**
 * The only way from bytes to a manifest that may be used (K-05).
 * @throws WireError; CryptoError 'manifest/account', 'manifest/signature', 'manifest/foreign-device',
 *   'manifest/certificate', 'manifest/revived' or 'manifest/equivocation'; StateError 'manifest/older'
 */
export async function checkManifest(
  bytes: Uint8Array,
  expectedAccount?: AccountId,
  highestSeen?: SeenManifest,
): Promise<Manifest> {
  const { manifest, signed, signature } = decodeManifest(bytes)
  const { account, sequence, devices } = manifest
  if (expectedAccount !== undefined && !equalBytes(account, expectedAccount)) throw new CryptoError('manifest/account')
  if (!(await verify(account, concatBytes(manifestLabel, signed), signature))) {
    throw new CryptoError('manifest/signature')
  }
  for (const { certificate } of devices) {
    if (!equalBytes(certificate.account, account)) throw new CryptoError('manifest/foreign-device') // MAN4
    if (!(await verifyCertificate(certificate))) throw new CryptoError('manifest/certificate') // MAN5
  }
  if (highestSeen !== undefined) {
    if (sequence < highestSeen.sequence) throw new StateError('manifest/older') // MAN6
    // MAN7: two manifests of one number mean that the root was used twice, or that somebody keeps two faces of it.
    if (sequence === highestSeen.sequence && !equalBytes(bytes, highestSeen.manifest)) {
      throw new CryptoError('manifest/equivocation')
    }
    refuseRevived(devices, decodeManifest(highestSeen.manifest).manifest)
  }
  return manifest
}

/** MAN8: who comes in was certified since. So a revoked device's certificate is never good again (K-07). */
function refuseRevived(devices: readonly ListedDevice[], before: Manifest): void {
  for (const { certificate } of devices) {
    const isListed = before.devices.some((known) => equalBytes(known.certificate.deviceId, certificate.deviceId))
    if (!isListed && certificate.sequence <= before.sequence) throw new CryptoError('manifest/revived')
  }
}

function decodeManifest(bytes: Uint8Array): DecodedManifest {
  const r = new Reader(bytes, MAX_MANIFEST_BYTES)
  if (r.u8() !== VERSION) throw new WireError('manifest/version')
  const account = r.take(ACCOUNT_BYTES) as AccountId
  const sequence = r.u32()
  const devices = decodeDevices(r)
  const vault = decodeVault(r)
  const signed = bytes.slice(0, bytes.length - r.left)
  const signature = r.take(SIGNATURE_BYTES)
  r.end()
  return { manifest: { account, sequence, devices, ...(vault === undefined ? {} : { vault }) }, signed, signature }
}

function encodeSigned({ account, sequence, devices, vault }: Manifest): Uint8Array {
  if (devices.length > MAX_DEVICES) throw new UsageError('manifest/devices')
  const w = new Writer().u8(VERSION).raw(account).u32(sequence).u8(devices.length)
  const inOrder = devices.toSorted((a, b) => compareBytes(a.certificate.deviceId, b.certificate.deviceId))
  for (const { certificate, hpkeKey } of inOrder) w.raw(encodeCertificate(certificate)).raw(hpkeKey)
  if (vault === undefined) return w.u8(0).done()
  const { phraseDoor, generation, keyRingHash, hpkeKey } = vault
  return w.u8(1).block(phraseDoor).u32(generation).raw(keyRingHash).raw(hpkeKey).done()
}

function decodeDevices(r: Reader): ListedDevice[] {
  const count = r.u8()
  if (count > MAX_DEVICES) throw new WireError('manifest/devices')
  const devices: ListedDevice[] = []
  for (let i = 0; i < count; i++) {
    const certificate = decodeCertificate(r.take(CERTIFICATE_BYTES))
    const before = devices.at(-1)?.certificate.deviceId
    // MAN2: ascending, so that no device is listed twice and a set of devices has one encoding
    if (before !== undefined && compareBytes(before, certificate.deviceId) >= 0) throw new WireError('manifest/order')
    devices.push({ certificate, hpkeKey: decodeHpkeKey(r) })
  }
  return devices
}

function decodeVault(r: Reader): VaultDoors | undefined {
  switch (r.u8()) {
    case 0:
      return undefined
    case 1:
      return {
        phraseDoor: r.block(MAX_DOOR_BYTES),
        generation: r.u32(),
        keyRingHash: r.take(HASH_BYTES),
        hpkeKey: decodeHpkeKey(r),
      }
    default:
      throw new WireError('manifest/vault')
  }
}

/** MAN13: others seal to it, and a key that nothing can be sealed to would stop what they do for all (C-04). */
function decodeHpkeKey(r: Reader): Uint8Array {
  const key = r.take(HPKE_KEY_BYTES)
  if (!isDhPublicKey(key)) throw new WireError('manifest/key')
  return key
}

/** Public values of one length. */
function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
