import { WireError } from '../errors.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const VALUES = new Map([...ALPHABET].map((char, value) => [char, value]))

/** RFC 4648 section 5, without padding. */
export function toBase64url(bytes: Uint8Array): string {
  let out = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const chunk = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    const chars = Math.min(bytes.length - i, 3) + 1
    for (let c = 0; c < chars; c++) out += ALPHABET[(chunk >> (18 - 6 * c)) & 63]
  }
  return out
}

/** @throws WireError for a foreign character, a wrong length or non-zero spare bits */
export function fromBase64url(text: string): Uint8Array {
  if (text.length % 4 === 1) throw new WireError('base64url/length')
  const out = new Uint8Array(Math.floor((text.length * 3) / 4))
  let bits = 0
  let held = 0
  let at = 0
  for (const char of text) {
    const value = VALUES.get(char)
    if (value === undefined) throw new WireError('base64url/character')
    held = (held << 6) | value
    bits += 6
    if (bits >= 8) {
      bits -= 8
      out[at++] = (held >> bits) & 0xff
      held &= (1 << bits) - 1
    }
  }
  if (held !== 0) throw new WireError('base64url/spare-bits')
  return out
}
