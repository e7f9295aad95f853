import { concatBytes } from '../bytes/concat.ts'
import { toHex } from '../bytes/hex.ts'
import { CryptoError } from '../errors.ts'
import type { KemPrivateKey } from './kem.ts'
import type { Dice } from './random.ts'
import { X25519_KEY_BYTES } from './x25519.ts'

/**
 * A private key by handle (K-04): WebCrypto keeps it, non-extractable, in the caller's key ring; what MLS carries about
 * and stores is a reference.
 *
 *   16B  random id, by which the ring knows it
 *   32B  its X25519 public key
 *   64B  of X-Wing, where WebCrypto has no ML-KEM: that half's seed. The other half still takes the handle.
 *
 * Raw private keys of both suites have 32 bytes, so the length tells which it is.
 */
export interface KeyRing {
  load(name: string): Promise<CryptoKey | undefined>
  save(name: string, key: CryptoKey): Promise<void>
  remove(name: string): Promise<void>
}
export type KeyPart = 'x25519' | 'ml-kem'

const ID_BYTES = 16
const REFERENCE_BYTES = ID_BYTES + X25519_KEY_BYTES

export function makeReference(dice: Dice, publicKey: Uint8Array, seed: Uint8Array = new Uint8Array()): KemPrivateKey {
  return { bytes: concatBytes(dice(ID_BYTES), publicKey, seed) }
}

export function isReference({ bytes }: KemPrivateKey): boolean {
  return bytes.length >= REFERENCE_BYTES
}

export function publicHalf({ bytes }: KemPrivateKey): Uint8Array {
  return bytes.subarray(ID_BYTES, REFERENCE_BYTES)
}

/** Empty where the ML-KEM half lies in the ring too. */
export function seedHalf({ bytes }: KemPrivateKey): Uint8Array {
  return bytes.subarray(REFERENCE_BYTES)
}

export function handleName({ bytes }: KemPrivateKey, part: KeyPart): string {
  return `mls/${toHex(bytes.subarray(0, ID_BYTES))}/${part}`
}

/** @throws CryptoError 'mls/key-handle' when the ring has lost it, or there is no ring */
export async function loadHandle(
  reference: KemPrivateKey,
  part: KeyPart,
  ring: KeyRing | undefined,
): Promise<CryptoKey> {
  const key = await ring?.load(handleName(reference, part))
  if (key === undefined) throw new CryptoError('mls/key-handle')
  return key
}

/** Names in the ring that these private keys need: whatever else it holds of MLS may be deleted. */
export function handlesNeeded(privateKeys: readonly Uint8Array[]): string[] {
  return privateKeys.flatMap((bytes) => {
    const key = { bytes }
    if (!isReference(key)) return []
    return seedHalf(key).length > 0
      ? [handleName(key, 'x25519')]
      : [handleName(key, 'x25519'), handleName(key, 'ml-kem')]
  })
}
