import { concatBytes } from '#core/bytes/concat.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { wipe } from '#core/bytes/wipe.ts'
import { hkdf } from '#core/crypto/hkdf.ts'
import { hmacBytes } from '#core/crypto/hmac.ts'
import { labels } from '#core/crypto/labels.ts'
import { readKeyRing } from '../account/key-ring.ts'
import type { Store } from '../ports/store.ts'
import type { ArchiveHead } from './archive-line.ts'

const KEY_BYTES = 32

/**
 * ARC4: only devices of the account can make it. What somebody else has written into an archive, however they got us to
 * open it, is so never shown inside a conversation of ours.
 */
export async function archiveProof(store: Pick<Store, 'get'>, id: Uint8Array): Promise<Uint8Array> {
  const { ring } = await readKeyRing(store)
  const key = hkdf('sha256', ring.logAddressSecret, new Uint8Array(), labels.archiveOwner, KEY_BYTES)
  const proof = hmacBytes('sha256', key, concatBytes(labels.archiveOwner, id))
  wipe(key)
  return proof
}

export async function isOwnArchive(store: Pick<Store, 'get'>, { id, proof }: ArchiveHead): Promise<boolean> {
  return equalBytes(await archiveProof(store, id), proof)
}
