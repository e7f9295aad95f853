import { concatBytes } from '../bytes/concat.ts'
import { equalBytes } from '../bytes/equal.ts'
import { sha256 } from '../crypto/hash.ts'
import { HPKE_OVERHEAD_BYTES, openHpke, sealHpke } from '../crypto/hpke.ts'
import { labels } from '../crypto/labels.ts'
import { type Dice, systemDice } from '../crypto/random.ts'
import { type SigningKey, verify } from '../crypto/sign.ts'
import type { DhKeyPair } from '../crypto/x25519.ts'
import { CryptoError, WireError } from '../errors.ts'
import { checkManifest, type Manifest } from '../identity/manifest.ts'
import { pad, unpad } from '../padding/padding.ts'
import { decodeCbor, encodeCbor } from '../wire/cbor.ts'
import { type Address, DEVICE_BYTES, type DeviceId } from '../wire/ids.ts'
import { MAX_JOIN_NOTE_UNITS, MAX_JOIN_REQUEST_BYTES, MAX_MANIFEST_BYTES } from '../wire/limits.ts'
import { bytes, fixed, object, type TypeOf, text, uint } from '../wire/schema.ts'
import { MAX_NAME_UNITS } from './offer.ts'

/**
 * Join request (docs/spec/names.md, NAM5): who asks to be let into a channel by its name. Sealed with HPKE to the name's join
 * key, bound to the channel's address and the request's id, and padded, so that its size says little.
 */
const asked = object({
  v: uint(1),
  name: text(MAX_NAME_UNITS), // as the asker calls themself
  manifest: bytes(MAX_MANIFEST_BYTES),
  device: fixed<DeviceId>(DEVICE_BYTES), // of that manifest, which signs
  note: text(MAX_JOIN_NOTE_UNITS),
  atMs: uint(),
})
export type Asked = Omit<TypeOf<typeof asked>, 'v'>

/** A manifest is no secret: that the account itself asks is what the device's signature says. */
const signedAsk = object({ asked: bytes(MAX_JOIN_REQUEST_BYTES), signature: fixed(64) })

export const JOIN_ID_BYTES = 16

/** Where and under which id it waits: a relay can't show it anywhere else, nor twice. */
export type AskPlace = { readonly address: Address; readonly id: Uint8Array }

/** @throws CryptoError when the join key is of low order */
export async function sealJoinRequest(
  joinKey: Uint8Array,
  place: AskPlace,
  value: Asked,
  device: Pick<SigningKey, 'sign'>,
  dice: Dice = systemDice,
): Promise<Uint8Array> {
  const padded = pad(await encodeJoinRequest(place, value, device), HPKE_OVERHEAD_BYTES)
  return sealHpke(joinKey, labels.joinRequest, boundTo(place), padded, dice)
}

export async function encodeJoinRequest(
  place: AskPlace,
  value: Asked,
  device: Pick<SigningKey, 'sign'>,
): Promise<Uint8Array> {
  const encoded = encodeCbor({ v: 1, ...value })
  return encodeCbor({ asked: encoded, signature: await device.sign(signed(place, encoded)) })
}

export type OpenedAsk = { readonly manifest: Manifest; readonly asked: Asked }

/** @throws as readJoinRequest, and CryptoError when it is not for this key or this place */
export async function openJoinRequest(pair: DhKeyPair, place: AskPlace, request: Uint8Array): Promise<OpenedAsk> {
  if (request.length > MAX_JOIN_REQUEST_BYTES) throw new WireError('join-request/too-large')
  return readJoinRequest(place, unpad(await openHpke(pair, labels.joinRequest, boundTo(place), request)))
}

/** @throws WireError, CryptoError when it is not by a device of that account */
export async function readJoinRequest(place: AskPlace, content: Uint8Array): Promise<OpenedAsk> {
  const { asked: encoded, signature } = signedAsk.check(decodeCbor(content, MAX_JOIN_REQUEST_BYTES))
  const { v: _, ...value } = asked.check(decodeCbor(encoded, MAX_JOIN_REQUEST_BYTES))
  const manifest = await checkManifest(value.manifest)
  const device = manifest.devices.find(({ certificate }) => equalBytes(certificate.deviceId, value.device))
  const isGood = device && (await verify(device.certificate.signatureKey, signed(place, encoded), signature))
  if (!isGood) throw new CryptoError('join-request/signature')
  return { manifest, asked: value }
}

function signed(place: AskPlace, encoded: Uint8Array): Uint8Array {
  return concatBytes(labels.joinAsker, boundTo(place), sha256(encoded))
}

function boundTo({ address, id }: AskPlace): Uint8Array {
  return concatBytes(address, id)
}
