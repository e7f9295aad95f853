import { scryptAsync } from '@noble/hashes/scrypt.js'
import { UsageError } from '../errors.ts'

/** scrypt (RFC 7914) with r = 8 and p = 1, as the age format has it. Takes 2^logN KiB and gives way to other work as it goes. */
export const MAX_SCRYPT_LOG_N = 20
const KEY_BYTES = 32

export async function scrypt(password: Uint8Array, salt: Uint8Array, logN: number): Promise<Uint8Array> {
  if (!Number.isInteger(logN) || logN < 1 || logN > MAX_SCRYPT_LOG_N) throw new UsageError('scrypt/cost')
  return scryptAsync(password, salt, { N: 2 ** logN, r: 8, p: 1, dkLen: KEY_BYTES, asyncTick: 16 })
}
