import { Reader } from '../bytes/reader.ts'
import { Writer } from '../bytes/writer.ts'
import { X_WING_ENC_BYTES, X_WING_PUBLIC_BYTES } from '../crypto/x-wing.ts'
import { WireError } from '../errors.ts'
import { HASH_BYTES } from '../wire/ids.ts'
import { MAX_LINK_BYTES } from '../wire/limits.ts'

/**
 * What the two devices leave at the relay, a slot each (docs/spec/link.md, LNK4). All begin with
 *
 *    1B  version (0x01)
 *    1B  slot
 */
export const SLOTS = { key: 0, offer: 1, nonceN: 2, nonceH: 3, ask: 4, grant: 5, cancelled: 7 } as const
export type Slot = (typeof SLOTS)[keyof typeof SLOTS]
export type Put = { readonly slot: Slot; readonly bytes: Uint8Array }

const VERSION = 0x01
export const NONCE_BYTES = 32

export function encodeKey(publicKey: Uint8Array): Uint8Array {
  return begin(SLOTS.key).raw(publicKey).done()
}

export function decodeKey(bytes: Uint8Array): Uint8Array {
  return whole(bytes, SLOTS.key, (r) => r.take(X_WING_PUBLIC_BYTES))
}

/** HPKE's enc, and the commitment to a nonce that is shown only once the other side's is known. */
export type Offer = { readonly enc: Uint8Array; readonly commitment: Uint8Array }

export function encodeOffer({ enc, commitment }: Offer): Uint8Array {
  return begin(SLOTS.offer).raw(enc).raw(commitment).done()
}

export function decodeOffer(bytes: Uint8Array): Offer {
  return whole(bytes, SLOTS.offer, (r) => ({ enc: r.take(X_WING_ENC_BYTES), commitment: r.take(HASH_BYTES) }))
}

type NonceSlot = typeof SLOTS.nonceN | typeof SLOTS.nonceH

export function encodeNonce(slot: NonceSlot, nonce: Uint8Array): Uint8Array {
  return begin(slot).raw(nonce).done()
}

export function decodeNonce(slot: NonceSlot, bytes: Uint8Array): Uint8Array {
  return whole(bytes, slot, (r) => r.take(NONCE_BYTES))
}

type SealedSlot = typeof SLOTS.ask | typeof SLOTS.grant

export function encodeSealed(slot: SealedSlot, sealed: Uint8Array): Uint8Array {
  return begin(slot).raw(sealed).done()
}

export function decodeSealed(slot: SealedSlot, bytes: Uint8Array): Uint8Array {
  return whole(bytes, slot, (r) => r.take(r.left))
}

export function encodeCancelled(): Uint8Array {
  return begin(SLOTS.cancelled).done()
}

function begin(slot: Slot): Writer {
  return new Writer().u8(VERSION).u8(slot)
}

function whole<T>(bytes: Uint8Array, slot: Slot, read: (r: Reader) => T): T {
  const r = new Reader(bytes, MAX_LINK_BYTES)
  if (r.u8() !== VERSION) throw new WireError('link/version')
  if (r.u8() !== slot) throw new WireError('link/slot') // LNK4: nothing stands for what belongs in another slot
  const value = read(r)
  r.end()
  return value
}
