import type { Reader } from '../bytes/reader.ts'
import { fromUtf8, toUtf8 } from '../bytes/utf8.ts'
import type { Writer } from '../bytes/writer.ts'
import { ARGON2_SALT_BYTES, type Argon2Params, checkArgon2Params } from '../crypto/argon2id.ts'
import { hkdf } from '../crypto/hkdf.ts'
import { xWingPairFrom } from '../crypto/hpke-xwing.ts'
import { labels } from '../crypto/labels.ts'
import { X_WING_PUBLIC_BYTES } from '../crypto/x-wing.ts'
import type { DhKeyPair } from '../crypto/x25519.ts'
import { UsageError, WireError } from '../errors.ts'
import { DEVICE_BYTES, type DeviceId } from '../wire/ids.ts'

/**
 * Door: one way to the vault's key (docs/spec/keys.md, K-09). It is a public key, so that a rotation needs nobody to type anything: an
 * X-Wing one, or a device's X25519 one, which WebCrypto keeps.
 */
export type Door =
  | { readonly kind: 'phrase'; readonly publicKey: Uint8Array }
  | { readonly kind: 'device'; readonly deviceId: DeviceId; readonly publicKey: Uint8Array; readonly name: string }
  | (ClosedDoor & { readonly publicKey: Uint8Array; readonly name: string })

/** What a passphrase or passkey door shows before it is open: how to get from what a person has to its key. */
export type ClosedDoor =
  | { readonly kind: 'passphrase'; readonly id: Uint8Array; readonly params: Argon2Params }
  | { readonly kind: 'passkey'; readonly id: Uint8Array; readonly params: PasskeyParams }
export type PasskeyParams = { readonly credentialId: Uint8Array; readonly prfSalt: Uint8Array }

/** What opens a door. */
export type DoorKey =
  | { readonly kind: 'phrase'; readonly seed: Uint8Array }
  | { readonly kind: 'device'; readonly pair: DhKeyPair }
  | { readonly kind: 'passphrase' | 'passkey'; readonly id: Uint8Array; readonly seed: Uint8Array }

export const DOOR_ID_BYTES = 16
export const PRF_BYTES = 32
export const MAX_DOOR_NAME_UNITS = 64
const MAX_CREDENTIAL_BYTES = 1023 // WebAuthn level 3, section 5.1
const MAX_NAME_BYTES = 3 * MAX_DOOR_NAME_UNITS
const KINDS = ['phrase', 'device', 'passphrase', 'passkey'] as const
const NO_ID = new Uint8Array(DOOR_ID_BYTES)

export async function phraseDoor(phraseDoorSeed: Uint8Array): Promise<Door> {
  const { publicKey } = await xWingPairFrom(phraseDoorSeed)
  return { kind: 'phrase', publicKey }
}

/** @param seed of `passphraseSeed` or `passkeySeed` */
export async function seedDoor<C extends ClosedDoor>(closed: C, seed: Uint8Array, name: string) {
  const { publicKey } = await xWingPairFrom(seed)
  return { ...closed, publicKey, name }
}

/** @param prf what the authenticator gave for the door's salt (WebAuthn PRF extension) */
export function passkeySeed(prf: Uint8Array): Uint8Array {
  if (prf.length !== PRF_BYTES) throw new UsageError('door/prf')
  return hkdf('sha512', prf, new Uint8Array(), labels.passkeyDoor, PRF_BYTES)
}

/**
 * What of a door the relay sees: kind, id and params; nothing of a device or the phrase. Their public keys stand in the manifest, and
 * would say whose vault this is (VLT3).
 */
export function writeClosed(w: Writer, door: Door): void {
  w.u8(KINDS.indexOf(door.kind) + 1).raw('id' in door ? door.id : NO_ID)
  if ('id' in door) writeParams(w, door)
}

export type ReadClosed = { readonly kind: 'phrase' } | { readonly kind: 'device' } | ClosedDoor

/** @throws WireError */
export function readClosed(r: Reader): ReadClosed {
  const kind = KINDS[r.u8() - 1]
  const id = r.take(DOOR_ID_BYTES)
  if (kind === undefined) throw new WireError('door/kind')
  if (kind === 'phrase') return { kind }
  return kind === 'device' ? { kind } : readParams(r, kind, id)
}

/** All of it, for the sealed part of the vault. */
export function writeDoor(w: Writer, door: Door): void {
  const name = toUtf8('name' in door ? door.name : '')
  if (name.length > MAX_NAME_BYTES) throw new UsageError('door/name')
  writeClosed(w, door)
  w.raw(door.kind === 'device' ? door.deviceId : NO_ID)
    .block(door.publicKey)
    .block(name)
}

/** @throws WireError */
export function readDoor(r: Reader): Door {
  const closed = readClosed(r)
  const deviceId = r.take(DEVICE_BYTES) as DeviceId
  const publicKey = r.block(X_WING_PUBLIC_BYTES)
  const name = fromUtf8(r.block(MAX_NAME_BYTES))
  if (closed.kind === 'phrase') return { kind: 'phrase', publicKey }
  if (closed.kind === 'device') return { kind: 'device', deviceId, publicKey, name }
  return { ...closed, publicKey, name }
}

function writeParams(w: Writer, door: ClosedDoor): void {
  if (door.kind === 'passphrase') {
    const { salt, memoryKib, passes, lanes } = door.params
    w.raw(salt).u32(memoryKib).u8(passes).u8(lanes)
  } else {
    w.block(door.params.credentialId).raw(door.params.prfSalt)
  }
}

function readParams(r: Reader, kind: ClosedDoor['kind'], id: Uint8Array): ClosedDoor {
  if (kind === 'passkey') {
    return { kind, id, params: { credentialId: r.block(MAX_CREDENTIAL_BYTES), prfSalt: r.take(PRF_BYTES) } }
  }
  const params = { salt: r.take(ARGON2_SALT_BYTES), memoryKib: r.u32(), passes: r.u8(), lanes: r.u8() }
  checkArgon2Params(params) // PWD2: refused here, before anybody types anything
  return { kind, id, params }
}
