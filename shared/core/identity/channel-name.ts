import { concatBytes } from '../bytes/concat.ts'
import { toUtf8 } from '../bytes/utf8.ts'
import { sha256 } from '../crypto/hash.ts'
import { labels } from '../crypto/labels.ts'
import type { Address } from '../wire/ids.ts'

/**
 * Name of a channel that can be found: `org/namespace/service` (docs/spec/names.md, NAM1). Each part has 1 to 31 small
 * letters, digits and hyphens, none at its ends: no two names look alike, and a name has one spelling.
 */
const PART = '[a-z0-9](?:[a-z0-9-]{0,29}[a-z0-9])?'
const NAME = new RegExp(`^${PART}/${PART}/${PART}$`)

export function isChannelName(text: string): boolean {
  return NAME.test(text)
}

/** Where its channel is. */
export function addressOfName(name: string): Address {
  return sha256(concatBytes(labels.channelName, toUtf8(name))) as Address
}
