import { WireError } from '../errors.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function toUtf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/** @throws WireError when the bytes are not well-formed UTF-8 */
export function fromUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new WireError('utf8/malformed', { cause })
  }
}
