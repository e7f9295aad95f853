import { concatBytes } from '../bytes/concat.ts'
import { labels } from '../crypto/labels.ts'
import { WireError } from '../errors.ts'
import { PROTOCOL_VERSION } from '../wire/versions.ts'

/**
 * Both handshake messages of NK (docs/spec/noise.md):
 *
 *   32B  e: ephemeral public key
 *    nB  payload, sealed: empty, so 16B of tag
 */
export type HandshakeMessage = { readonly ephemeral: Uint8Array; readonly sealedPayload: Uint8Array }

export const DH_BYTES = 32
export const TAG_BYTES = 16
export const HANDSHAKE_MESSAGE_BYTES = DH_BYTES + TAG_BYTES
/** Noise rev. 34, section 3. */
export const MAX_NOISE_MESSAGE_BYTES = 65_535

/** NOI1: both sides mix this in first, so that ends of different versions do not agree on keys. */
export const PROLOGUE = concatBytes(labels.noise, Uint8Array.of(PROTOCOL_VERSION))

export function encodeHandshakeMessage({ ephemeral, sealedPayload }: HandshakeMessage): Uint8Array {
  return concatBytes(ephemeral, sealedPayload)
}

export function decodeHandshakeMessage(bytes: Uint8Array): HandshakeMessage {
  if (bytes.length < HANDSHAKE_MESSAGE_BYTES || bytes.length > MAX_NOISE_MESSAGE_BYTES) {
    throw new WireError('noise/handshake-length')
  }
  return { ephemeral: bytes.slice(0, DH_BYTES), sealedPayload: bytes.slice(DH_BYTES) }
}
