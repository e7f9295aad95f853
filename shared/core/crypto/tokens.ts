import { concatBytes } from '../bytes/concat.ts'
import { sha256 } from './hash.ts'
import type { Label } from './labels.ts'
import type { Dice } from './random.ts'

/** A bearer secret of a seat or mailbox, random; the relay keeps its hash only (T-07). The caller brands it. */
export function newToken<T extends Uint8Array = Uint8Array>(dice: Dice): T {
  return dice(32) as T
}

/** Without salt or stretching: a token has 256 random bits. */
export function hashToken<H extends Uint8Array = Uint8Array>(label: Label, token: Uint8Array): H {
  return sha256(concatBytes(label, token)) as H
}
