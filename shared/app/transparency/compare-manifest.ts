import { equalBytes } from '#core/bytes/equal.ts'
import { sha256 } from '#core/crypto/hash.ts'
import type { ClaimedManifest } from '#core/message/body.ts'

/** What somebody says of an account, beside what is known of it here: they have an older one, the same, a newer one, or another of one number. */
export type Compared = 'behind' | 'same' | 'ahead' | 'other'

export function compareManifest(known: ClaimedManifest, said: ClaimedManifest): Compared {
  if (said.sequence !== known.sequence) return said.sequence < known.sequence ? 'behind' : 'ahead'
  return equalBytes(said.hash, known.hash) ? 'same' : 'other'
}

export function claimOf({ sequence, manifest }: { sequence: number; manifest: Uint8Array }): ClaimedManifest {
  return { sequence, hash: sha256(manifest) }
}
