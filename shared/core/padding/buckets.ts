import { UsageError } from '../errors.ts'

/** T-02: eight buckets, then Padmé (docs/spec/padding.md). */
export const BUCKETS = [256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768] as const
const MAX_PADDED = 2 ** 40

/** @returns the smallest allowed size that holds `length` bytes */
export function bucketFor(length: number): number {
  if (!Number.isSafeInteger(length) || length < 0 || length > MAX_PADDED) throw new UsageError('padding/length')
  return BUCKETS.find((bucket) => bucket >= length) ?? padme(length)
}

export function isBucket(length: number): boolean {
  return length > 0 && bucketFor(length) === length
}

/**
 * Padmé (Nikitin et al., "Reducing Metadata Leakage from Encrypted Files and Communication with PURBs", section 4):
 * of a length's bits below the highest, only as many may be set as its exponent has bits. Above 32 KiB at most 6.25 % is
 * added; a size tells O(log log) bits about the length it hides.
 */
function padme(length: number): number {
  const exponent = Math.floor(Math.log2(length))
  const kept = Math.floor(Math.log2(exponent)) + 1
  const step = 2 ** (exponent - kept) // plain arithmetic: bitwise operators stop at 32 bits
  return Math.ceil(length / step) * step
}
