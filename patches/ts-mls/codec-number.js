/** Stands in for ts-mls 1.6.4's codec/number.js (patch P12): big-endian integers, in a loop for all widths. */
import { encode } from './tlsEncoder.js'

const encoderOf = (width) => (n) => [
  width,
  (offset, bytes) => {
    for (let i = width - 1, rest = n; i >= 0; i--, rest >>>= 8) bytes[offset + i] = rest
  },
]

const decoderOf = (width) => (b, offset) => {
  if (offset + width > b.length) return undefined
  let n = 0
  for (let i = 0; i < width; i++) n = n * 256 + b[offset + i]
  return [n, width]
}

export const uint8Encoder = /* @__PURE__ */ encoderOf(1)
export const uint16Encoder = /* @__PURE__ */ encoderOf(2)
export const uint32Encoder = /* @__PURE__ */ encoderOf(4)
export const uint64Encoder = (n) => [
  8,
  (offset, bytes) => new DataView(bytes.buffer).setBigUint64(bytes.byteOffset + offset, n),
]
export const encodeUint8 = /* @__PURE__ */ encode(uint8Encoder)
export const encodeUint16 = /* @__PURE__ */ encode(uint16Encoder)
export const encodeUint32 = /* @__PURE__ */ encode(uint32Encoder)
export const encodeUint64 = /* @__PURE__ */ encode(uint64Encoder)

export const decodeUint8 = /* @__PURE__ */ decoderOf(1)
export const decodeUint16 = /* @__PURE__ */ decoderOf(2)
export const decodeUint32 = /* @__PURE__ */ decoderOf(4)
export const decodeUint64 = (b, offset) =>
  offset + 8 > b.length ? undefined : [new DataView(b.buffer, b.byteOffset).getBigUint64(offset), 8]
