import { concatBytes } from '../bytes/concat.ts'
import { equalBytes } from '../bytes/equal.ts'
import { fromUtf8 } from '../bytes/utf8.ts'
import { importAeadKey, openRandomNonce, sealRandomNonce } from '../crypto/aead.ts'
import { labels } from '../crypto/labels.ts'
import { CryptoError } from '../errors.ts'
import { pad, unpad } from '../padding/padding.ts'
import { decodeEnvelope, ENVELOPE_OVERHEAD_BYTES, encodeEnvelope } from '../wire/envelope.ts'
import type { Address } from '../wire/ids.ts'

/**
 * The outer seal of a channel's envelopes: the MLS message once more under a key exported from its epoch, so that group
 * id, epoch, sender data and content type are not on the relay's disk (docs/spec/envelope.md).
 */
export const OUTER_EXPORT = { label: fromUtf8(labels.outer), length: 32 } as const

const NONCE_AND_TAG_BYTES = 12 + 16

/** @returns the whole envelope: a bucket (T-02) */
export async function sealOuter(key: Uint8Array, to: Address, mlsMessage: Uint8Array): Promise<Uint8Array> {
  const padded = pad(mlsMessage, ENVELOPE_OVERHEAD_BYTES + NONCE_AND_TAG_BYTES)
  const body = await sealRandomNonce(await importAeadKey(key), padded, boundTo(to))
  return encodeEnvelope({ to, body })
}

/** @throws WireError, CryptoError when it is not from a member of the epoch, or for another channel */
export async function openOuter(key: Uint8Array, address: Address, envelope: Uint8Array): Promise<Uint8Array> {
  const { to, body } = decodeEnvelope(envelope)
  if (!equalBytes(to, address)) throw new CryptoError('outer/address')
  return unpad(await openRandomNonce(await importAeadKey(key), body, boundTo(address)))
}

function boundTo(address: Address): Uint8Array {
  return concatBytes(labels.outer, address)
}
