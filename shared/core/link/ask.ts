import { concatBytes } from '../bytes/concat.ts'
import { openRandomNonce, sealRandomNonce } from '../crypto/aead.ts'
import { labels } from '../crypto/labels.ts'
import type { Dice } from '../crypto/random.ts'
import { SIGNATURE_BYTES, VERIFYING_KEY_BYTES, verify } from '../crypto/sign.ts'
import { X25519_KEY_BYTES } from '../crypto/x25519.ts'
import { CryptoError } from '../errors.ts'
import { pad, unpad } from '../padding/padding.ts'
import { decodeCbor, encodeCbor } from '../wire/cbor.ts'
import { DEVICE_BYTES, type DeviceId } from '../wire/ids.ts'
import { fixed, object, oneOf, type TypeOf, text, uint } from '../wire/schema.ts'
import type { Session } from './session.ts'
import { decodeSealed, encodeSealed, SLOTS } from './slots.ts'

/** What the new device asks to be certified (LNK6). */
const MAX_ASK_BYTES = 2048
export const MAX_DEVICE_NAME_UNITS = 64
const SEAL_OVERHEAD_BYTES = 2 + 12 + 16 // version and slot, nonce, tag

const device = {
  deviceId: fixed<DeviceId>(DEVICE_BYTES),
  signatureKey: fixed(VERIFYING_KEY_BYTES),
  hpkeKey: fixed(X25519_KEY_BYTES),
  name: text(MAX_DEVICE_NAME_UNITS),
  kind: oneOf('web', 'extension'),
}
const askBody = object({ v: uint(1), ...device, proof: fixed(SIGNATURE_BYTES) })
const newDevice = object(device)

export type NewDevice = TypeOf<typeof newDevice>
type Sign = (data: Uint8Array) => Promise<Uint8Array>

export async function sealAsk(
  { askKey, transcript }: Session,
  asking: NewDevice,
  sign: Sign,
  dice: Dice,
): Promise<Uint8Array> {
  const { deviceId, signatureKey, hpkeKey, name, kind } = asking
  const proof = await sign(proofBytes(transcript, asking))
  const body = encodeCbor({ v: 1, deviceId, signatureKey, hpkeKey, name, kind, proof })
  const padded = pad(body, SEAL_OVERHEAD_BYTES)
  return encodeSealed(SLOTS.ask, await sealRandomNonce(askKey, padded, boundTo(transcript), dice))
}

/** @throws WireError, CryptoError */
export async function openAsk({ askKey, transcript }: Session, bytes: Uint8Array): Promise<NewDevice> {
  const padded = await openRandomNonce(askKey, decodeSealed(SLOTS.ask, bytes), boundTo(transcript))
  const { v: _, proof, ...asking } = askBody.check(decodeCbor(unpad(padded), MAX_ASK_BYTES))
  // The key to be certified is the asker's own: it signed this very meeting.
  if (!(await verify(asking.signatureKey, proofBytes(transcript, asking), proof))) throw new CryptoError('link/proof')
  return asking
}

function proofBytes(transcript: Uint8Array, { deviceId, signatureKey, hpkeKey }: NewDevice): Uint8Array {
  return concatBytes(labels.linkProof, transcript, deviceId, signatureKey, hpkeKey)
}

function boundTo(transcript: Uint8Array): Uint8Array {
  return concatBytes(labels.linkAsk, transcript)
}
