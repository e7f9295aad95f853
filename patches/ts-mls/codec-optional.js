/**
 * Stands in for ts-mls 1.6.4's codec/optional.js (patches P12 and C13). RFC 9420 section 2.1.1: the first octet is 0 or 1,
 * and whatever else is malformed; stock takes it for 0.
 */
import { decodeUint8 } from './number.js'

export function optionalEncoder(enc) {
  return (value) => {
    const [length, write] = value ? enc(value) : [0, () => {}]
    return [
      length + 1,
      (offset, bytes) => {
        bytes[offset] = value ? 1 : 0
        write(offset + 1, bytes)
      },
    ]
  }
}

export function decodeOptional(dec) {
  return (b, offset) => {
    const presence = decodeUint8(b, offset)?.[0]
    if (presence === 0) return [undefined, 1]
    const decoded = presence === 1 ? dec(b, offset + 1) : undefined
    return decoded && [decoded[0], decoded[1] + 1]
  }
}
