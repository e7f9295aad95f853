import type { Dice } from '#core/crypto/random.ts'
import { type DhKeyPair, dhKeyPairFrom, X25519_KEY_BYTES } from '#core/crypto/x25519.ts'

export function x25519Pair(dice: Dice): Promise<DhKeyPair> {
  return dhKeyPairFrom(dice(X25519_KEY_BYTES))
}
