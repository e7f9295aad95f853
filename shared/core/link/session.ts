import { concatBytes } from '../bytes/concat.ts'
import { equalBytes } from '../bytes/equal.ts'
import { wipe } from '../bytes/wipe.ts'
import { AEAD_KEY_BYTES } from '../crypto/aead.ts'
import { sha256 } from '../crypto/hash.ts'
import { hkdf } from '../crypto/hkdf.ts'
import { receiveXWingExport, sendXWingExport } from '../crypto/hpke-xwing.ts'
import { type Label, labels } from '../crypto/labels.ts'
import type { Dice } from '../crypto/random.ts'
import { CryptoError } from '../errors.ts'

/**
 * What both devices come to (docs/spec/link.md, LNK5). The key is the one that each really used; the nonces are there so that who stands
 * between them can't search for keys that give both the same digits.
 */
export type Heard = {
  readonly publicKey: Uint8Array
  readonly enc: Uint8Array
  readonly commitment: Uint8Array
  readonly nonceN: Uint8Array
  readonly nonceH: Uint8Array
}
export type Session = {
  readonly transcript: Uint8Array
  /** Twelve, uniform: a guess is right once in 10^12. */
  readonly digits: string
  readonly askKey: Uint8Array
  readonly grantKey: Uint8Array
}

const DIGITS = 12
const DIGITS_FROM_BYTES = 16 // of which the remainder is uniform but for 2^-88
const SECRET_BYTES = 32
const NOTHING = new Uint8Array()

export function sendSecret(publicKey: Uint8Array, dice: Dice) {
  return sendXWingExport(publicKey, labels.linkSecret, NOTHING, SECRET_BYTES, dice)
}

export function receiveSecret(seed: Uint8Array, enc: Uint8Array): Promise<Uint8Array> {
  return receiveXWingExport(seed, enc, labels.linkSecret, NOTHING, SECRET_BYTES)
}

/** Over fields of fixed length. */
export function commitTo(nonceH: Uint8Array, publicKey: Uint8Array, enc: Uint8Array): Uint8Array {
  return sha256(concatBytes(labels.linkCommitment, nonceH, publicKey, enc))
}

/** @throws CryptoError 'link/commitment' when the nonce is not the one that was committed to */
export function sessionOf(heard: Heard, secret: Uint8Array): Session {
  const { publicKey, enc, commitment, nonceN, nonceH } = heard
  if (!equalBytes(commitTo(nonceH, publicKey, enc), commitment)) throw new CryptoError('link/commitment')
  const transcript = sha256(concatBytes(labels.linkTranscript, publicKey, enc, commitment, nonceN, nonceH))
  const derive = (label: Label, length: number) => hkdf('sha256', secret, transcript, label, length)
  return {
    transcript,
    digits: toDigits(derive(labels.linkDigits, DIGITS_FROM_BYTES)),
    askKey: derive(labels.linkAsk, AEAD_KEY_BYTES),
    grantKey: derive(labels.linkGrant, AEAD_KEY_BYTES),
  }
}

export function wipeSession({ askKey, grantKey }: Session): void {
  wipe(askKey, grantKey)
}

function toDigits(bytes: Uint8Array): string {
  let value = 0n
  for (const byte of bytes) value = (value << 8n) | BigInt(byte)
  return (value % 10n ** BigInt(DIGITS)).toString().padStart(DIGITS, '0')
}
