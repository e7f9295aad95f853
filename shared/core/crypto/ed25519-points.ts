import { toHex } from '../bytes/hex.ts'

/** The y coordinates of the eight points of small order, little-endian, sign bit cleared. */
const SMALL_ORDER = new Set([
  `00${'00'.repeat(31)}`, // order 4
  `01${'00'.repeat(31)}`, // the neutral point
  `ec${'ff'.repeat(30)}7f`, // -1: order 2
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', // order 8
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', // order 8
])

/** Their first bytes: a thousand signatures are checked when a large group is joined. */
const SMALL_ORDER_BEGINS = new Set([...SMALL_ORDER].map((hex) => Number.parseInt(hex.slice(0, 2), 16)))

/** Canonically encoded (RFC 8032 section 5.1.3: y below 2^255 - 19), and not of small order. Public values only. */
export function isUsablePoint(encoded: Uint8Array): boolean {
  const y = encoded.slice()
  y[31] = (y[31] ?? 0) & 0x7f
  const isAboveField = (y[0] ?? 0) >= 0xed && y.subarray(1, 31).every((byte) => byte === 0xff) && y[31] === 0x7f
  return !isAboveField && !(SMALL_ORDER_BEGINS.has(y[0] ?? 0) && SMALL_ORDER.has(toHex(y)))
}
