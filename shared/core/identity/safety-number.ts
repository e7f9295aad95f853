import { concatBytes } from '../bytes/concat.ts'
import { equalBytes } from '../bytes/equal.ts'
import { sha512 } from '../crypto/hash.ts'
import { WireError } from '../errors.ts'
import { ACCOUNT_BYTES, type AccountId } from '../wire/ids.ts'

/**
 * Safety number (K-11): Signal's numeric fingerprint over two accounts' roots, equal on both sides whatever the order.
 * Of each side: SHA-512 iterated 5,200 times over version, key and stable id, its first 30 bytes as six groups of five
 * digits; the lower half first. With account roots, key and id are the same 32 bytes.
 */
const ITERATIONS = 5200
const VERSION = Uint8Array.of(0, 0)
const GROUPS = 6
const GROUP_BYTES = 5
const HALF_BYTES = 32

export function safetyNumber(own: AccountId, theirs: AccountId): string {
  const halves = [own, theirs].map((account) => digitsOf(numericFingerprint(account, account)))
  return halves.sort().join('')
}

/** Exported for the published vector, whose keys and ids differ. */
export function numericFingerprint(key: Uint8Array, stableId: Uint8Array): Uint8Array {
  let hash = concatBytes(VERSION, key, stableId)
  for (let i = 0; i < ITERATIONS; i++) hash = sha512(concatBytes(hash, key))
  return hash
}

/** Thirty digits of one side. */
export function digitsOf(fingerprint: Uint8Array): string {
  const groups = Array.from({ length: GROUPS }, (_, group) => {
    let value = 0n
    for (const byte of fingerprint.subarray(group * GROUP_BYTES, (group + 1) * GROUP_BYTES)) {
      value = value * 256n + BigInt(byte)
    }
    return String(value % 100_000n).padStart(5, '0')
  })
  return groups.join('')
}

/**
 * What a QR code carries for the comparison: no account id, so that a photograph of it names nobody.
 *
 *    1B  version (0x01)
 *   32B  first half of the fingerprint of whoever shows it
 *   32B  the same of whom they compare with
 */
export type SafetyCode = { readonly shows: Uint8Array; readonly expects: Uint8Array }

const CODE_VERSION = 0x01
const CODE_BYTES = 1 + 2 * HALF_BYTES

export function encodeSafetyCode(own: AccountId, theirs: AccountId): Uint8Array {
  const half = (account: AccountId) => numericFingerprint(account, account).subarray(0, HALF_BYTES)
  return concatBytes(Uint8Array.of(CODE_VERSION), half(own), half(theirs))
}

/** @returns whether the code was made by `theirs` for `own`. @throws WireError when it is no such code */
export function matchesSafetyCode(code: Uint8Array, own: AccountId, theirs: AccountId): boolean {
  if (code.length !== CODE_BYTES) throw new WireError('safety/length')
  if (code[0] !== CODE_VERSION) throw new WireError('safety/version')
  if (own.length !== ACCOUNT_BYTES || theirs.length !== ACCOUNT_BYTES) throw new WireError('safety/account')
  return equalBytes(code, encodeSafetyCode(theirs, own))
}
