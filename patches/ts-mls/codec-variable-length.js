/**
 * Stands in for ts-mls 1.6.4's codec/variableLength.js (patches P12 and C13). RFC 9420 section 2.1.2: a length is in the
 * fewest bytes that it fits in, else it is malformed; stock reads any, so that one value has several encodings.
 */
import { CodecError } from '../mlsError.js'
import { base64ToBytes, bytesToBase64 } from '../util/byteArray.js'
import { decodeUint64, uint64Encoder } from './number.js'
import { mapDecoder, mapDecoders } from './tlsDecoder.js'
import { contramapBufferEncoder, contramapBufferEncoders, inTurn } from './tlsEncoder.js'

/** Lengths of one, two and four bytes end below these; the first two bits of the first byte say which it is. */
const sizeOf = (length) => (length < 64 ? 1 : length < 16384 ? 2 : 4)
const LIMIT = 0x40000000

export function lengthEncoder(length) {
  if (length >= LIMIT) throw new CodecError()
  const size = sizeOf(length)
  return [
    size,
    (offset, bytes) => {
      for (let i = size - 1, rest = length; i >= 0; i--, rest >>= 8) bytes[offset + i] = rest
      bytes[offset] |= (size >> 1) << 6
    },
  ]
}

export function determineLength(data, offset = 0) {
  const first = data[offset]
  const lengthFieldSize = 1 << (first >> 6)
  if (lengthFieldSize > 4 || offset + lengthFieldSize > data.length) throw new CodecError()
  let length = first & 63
  for (let i = 1; i < lengthFieldSize; i++) length = length * 256 + data[offset + i]
  if (sizeOf(length) !== lengthFieldSize) throw new CodecError()
  return { length, lengthFieldSize }
}

export const varLenDataEncoder = (data) => {
  const [size, write] = lengthEncoder(data.length)
  return [
    size + data.length,
    (offset, bytes) => {
      write(offset, bytes)
      bytes.set(data, offset + size)
    },
  ]
}

export const decodeVarLenData = (b, offset) => {
  const { length, lengthFieldSize } = determineLength(b, offset)
  const end = offset + lengthFieldSize + length
  if (end > b.length) throw new CodecError()
  return [b.subarray(offset + lengthFieldSize, end), end - offset]
}

export function varLenTypeEncoder(enc) {
  return (values) => {
    const [length, write] = inTurn(values, () => enc)
    const [size, writeLength] = lengthEncoder(length)
    return [
      size + length,
      (offset, bytes) => {
        writeLength(offset, bytes)
        write(offset + size, bytes)
      },
    ]
  }
}

export function decodeVarLenType(dec) {
  return (b, offset) => {
    const [bytes, total] = decodeVarLenData(b, offset)
    const values = []
    for (let at = 0; at < bytes.length; ) {
      const decoded = dec(bytes, at)
      if (decoded === undefined) return undefined
      values.push(decoded[0])
      at += decoded[1]
    }
    return [values, total]
  }
}

const pair = (key, value) => [key, value]
const entriesEncoder = (keyEncoder, valueEncoder) =>
  varLenTypeEncoder(contramapBufferEncoders([keyEncoder, valueEncoder], (entry) => entry))
const decodeEntries = (decodeKey, decodeValue) => decodeVarLenType(mapDecoders([decodeKey, decodeValue], pair))

export function base64RecordEncoder(valueEncoder) {
  const keyEncoder = contramapBufferEncoder(varLenDataEncoder, base64ToBytes)
  return contramapBufferEncoder(entriesEncoder(keyEncoder, valueEncoder), Object.entries)
}

export function decodeBase64Record(decodeValue) {
  return mapDecoder(decodeEntries(mapDecoder(decodeVarLenData, bytesToBase64), decodeValue), Object.fromEntries)
}

export function numberRecordEncoder(numberEncoder, valueEncoder) {
  return contramapBufferEncoder(entriesEncoder(numberEncoder, valueEncoder), (record) =>
    Object.entries(record).map(([key, value]) => [Number(key), value]),
  )
}

export function decodeNumberRecord(decodeNumber, decodeValue) {
  return mapDecoder(decodeEntries(decodeNumber, decodeValue), Object.fromEntries)
}

export function bigintMapEncoder(valueEncoder) {
  return contramapBufferEncoder(entriesEncoder(uint64Encoder, valueEncoder), (map) => [...map])
}

export function decodeBigintMap(decodeValue) {
  return mapDecoder(decodeEntries(decodeUint64, decodeValue), (entries) => new Map(entries))
}
