import { decodeCbor, encodeCbor } from '../wire/cbor.ts'
import { DEVICE_BYTES, type DeviceId } from '../wire/ids.ts'
import { MAX_DROP_BYTES, MAX_INVITATION_BLOB_BYTES, MAX_MANIFEST_BYTES } from '../wire/limits.ts'
import { bool, bytes, fixed, list, object, optional, type TypeOf, text, uint } from '../wire/schema.ts'

/**
 * Offer: what an invitation's blob holds once opened (C-12): who invites, and for each of their devices a key package
 * and a drop. The relay sees it sealed.
 */
export const MAX_NAME_UNITS = 120
export const MAX_KEY_PACKAGE_BYTES = 16 * 1024

const offer = object({
  v: uint(1),
  name: text(MAX_NAME_UNITS),
  manifest: bytes(MAX_MANIFEST_BYTES),
  devices: list(
    object({
      deviceId: fixed<DeviceId>(DEVICE_BYTES),
      keyPackage: bytes(MAX_KEY_PACKAGE_BYTES),
      drop: bytes(MAX_DROP_BYTES),
    }),
    16,
  ),
  /** A channel that whoever claims it comes into as well; `ask`: once a member has said yes. */
  channel: optional(object({ title: text(MAX_NAME_UNITS), ask: bool })),
})
export type Offer = TypeOf<typeof offer>

export function encodeOffer(value: Omit<Offer, 'v'>): Uint8Array {
  return encodeCbor({ v: 1, ...value })
}

export function decodeOffer(encoded: Uint8Array): Offer {
  return offer.check(decodeCbor(encoded, MAX_INVITATION_BLOB_BYTES))
}
