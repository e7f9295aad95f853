import { concatBytes } from '../bytes/concat.ts'
import { toHex } from '../bytes/hex.ts'
import { sha256 } from '../crypto/hash.ts'
import { labels } from '../crypto/labels.ts'
import type { AccountId } from '../wire/ids.ts'

const BYTES = 10

/** Five groups of four hex digits to tell accounts apart on screen. Eighty bits: for a comparison there is K-11. */
export function fingerprint(account: AccountId): string {
  const digest = sha256(concatBytes(labels.fingerprint, account)).subarray(0, BYTES)
  return toHex(digest).replaceAll(/(.{4})(?=.)/g, '$1 ')
}
