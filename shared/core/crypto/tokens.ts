import { concatBytes } from '../bytes/concat.ts'
import { sha256 } from './hash.ts'
import type { Label } from './labels.ts'
import type { Dice } from './random.ts'

/** A bearer secret of a seat or mailbox, and what the relay keeps of it: the brands of core/wire/ids.ts. */
type Token = Uint8Array & { readonly __token: true }
type TokenHash = Uint8Array & { readonly __tokenHash: true }

export function newToken<T extends Uint8Array = Token>(dice: Dice): T {
  return dice(32) as T
}

/** Without salt or stretching: a token has 256 random bits (T-07). */
export function hashToken<H extends Uint8Array = TokenHash>(label: Label, token: Uint8Array): H {
  return sha256(concatBytes(label, token)) as H
}
