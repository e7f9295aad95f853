import { concatBytes } from '../bytes/concat.ts'
import { AEAD_KEY_BYTES, AEAD_NONCE_BYTES, AEAD_TAG_BYTES, openRandomNonce, sealRandomNonce } from '../crypto/aead.ts'
import { hkdf } from '../crypto/hkdf.ts'
import { labels } from '../crypto/labels.ts'
import { type Dice, systemDice } from '../crypto/random.ts'
import { type SigningKey, verify } from '../crypto/sign.ts'
import { CryptoError, WireError } from '../errors.ts'
import { pad, unpad } from '../padding/padding.ts'
import type { InvitationId } from '../wire/ids.ts'
import { MAX_INVITATION_BLOB_BYTES } from '../wire/limits.ts'

export { encodeInvitationLink, type InvitationLink, readInvitationLink } from './invitation-link.ts'

/**
 * Invitation blob, as the realm keeps it until it is claimed (docs/spec/invitation.md, C-12):
 *
 *    1B  version (0x01)
 *   12B  nonce
 *    nB  padded content under AES-256-GCM, until the blob fills a bucket (T-02)
 */
const VERSION = 0x01
const OVERHEAD_BYTES = 1 + AEAD_NONCE_BYTES + AEAD_TAG_BYTES

/** @param secret from the link's fragment; the realm never sees it */
export async function sealInvitation(
  secret: Uint8Array,
  id: InvitationId,
  content: Uint8Array,
  dice: Dice = systemDice,
): Promise<Uint8Array> {
  const padded = pad(content, OVERHEAD_BYTES)
  return concatBytes(Uint8Array.of(VERSION), await sealRandomNonce(blobKey(secret), padded, boundTo(id), dice))
}

/** @throws WireError, CryptoError 'invitation/open' */
export async function openInvitation(secret: Uint8Array, id: InvitationId, blob: Uint8Array): Promise<Uint8Array> {
  if (blob.length > MAX_INVITATION_BLOB_BYTES) throw new WireError('invitation/too-large')
  if (blob[0] !== VERSION) throw new WireError('invitation/blob-version')
  let padded: Uint8Array
  try {
    padded = await openRandomNonce(blobKey(secret), blob.subarray(1), boundTo(id))
  } catch (cause) {
    if (cause instanceof WireError) throw cause
    throw new CryptoError('invitation/open', { cause })
  }
  return unpad(padded)
}

/** INV5: who claims proves to hold the claim key, so that only the same claimer gets the same answer again. */
export function signClaim(id: InvitationId, claimKey: Pick<SigningKey, 'publicKey' | 'sign'>): Promise<Uint8Array> {
  return claimKey.sign(claimed(id, claimKey.publicKey))
}

export function verifyClaim(id: InvitationId, claimKey: Uint8Array, signature: Uint8Array): Promise<boolean> {
  return verify(claimKey, claimed(id, claimKey), signature)
}

function claimed(id: InvitationId, claimKey: Uint8Array): Uint8Array {
  return concatBytes(labels.invitationClaim, id, claimKey)
}

function blobKey(secret: Uint8Array): Uint8Array {
  return hkdf('sha256', secret, new Uint8Array(), labels.invitationBlob, AEAD_KEY_BYTES)
}

function boundTo(id: InvitationId): Uint8Array {
  return concatBytes(labels.invitationBlob, Uint8Array.of(VERSION), id)
}
