import { argon2idAsync } from '@noble/hashes/argon2.js'
import { UsageError, WireError } from '../errors.ts'

/**
 * Argon2id (RFC 9106), version 0x13: what a passphrase is stretched with. No WebAssembly (the pages' policy forbids it),
 * so it takes seconds where native code takes a part of one; it gives way to other work as it goes.
 */
export type Argon2Params = {
  readonly salt: Uint8Array
  readonly memoryKib: number
  readonly passes: number
  readonly lanes: number
}
export type Argon2Cost = Omit<Argon2Params, 'salt'>

export const ARGON2_SALT_BYTES = 16
const MIN_MEMORY_KIB = 8 * 1024
const MAX_MEMORY_KIB = 256 * 1024
const MAX_PASSES = 8
const MAX_LANES = 4
const TAG_BYTES = 32

/**
 * PWD2: 1.6 to 1.9 s of processor time (Node 20). The 64 MiB and three passes of RFC 9106 section 4 would be twice that; parameters stand
 * beside what they protect, so that they may grow.
 */
export const DEFAULT_COST: Argon2Cost = { memoryKib: 32 * 1024, passes: 3, lanes: 1 }

/** @throws WireError 'argon2/params' before any work: what a relay stored must not cost hours */
export async function argon2id(password: Uint8Array, params: Argon2Params): Promise<Uint8Array> {
  checkArgon2Params(params)
  if (password.length === 0) throw new UsageError('argon2/password')
  const { salt, memoryKib, passes, lanes } = params
  return argon2idAsync(password, salt, { t: passes, m: memoryKib, p: lanes, dkLen: TAG_BYTES, asyncTick: 16 })
}

/** @throws WireError 'argon2/params' */
export function checkArgon2Params({ salt, memoryKib, passes, lanes }: Argon2Params): void {
  const isWithin = (value: number, least: number, most: number) => value >= least && value <= most
  const isGood =
    salt.length === ARGON2_SALT_BYTES &&
    isWithin(memoryKib, MIN_MEMORY_KIB, MAX_MEMORY_KIB) &&
    isWithin(passes, 1, MAX_PASSES) &&
    isWithin(lanes, 1, MAX_LANES)
  if (!isGood) throw new WireError('argon2/params')
}
