import { decodeMlsMessage, encodeMlsMessage, type MLSMessage, type MlsMessageContent } from 'ts-mls/message.js'
import { CryptoError, StateError, UsageError, WireError } from '../errors.ts'
import { MAX_ENVELOPE_BYTES } from '../wire/limits.ts'

type Decoder<T> = (bytes: Uint8Array, offset: number) => [T, number] | undefined

/**
 * ts-mls decodes views into its input, leaves trailing bytes unread, and on hostile input throws whatever comes: here
 * it gets a private copy of bounded length, must have read all of it, and says WireError.
 */
export function decodeWhole<T>(decode: Decoder<T>, bytes: Uint8Array, maxBytes: number, code: string): T {
  if (bytes.length > maxBytes) throw new WireError(code)
  let decoded: [T, number] | undefined
  try {
    decoded = decode(bytes.slice(), 0)
  } catch (cause) {
    throw new WireError(code, { cause })
  }
  if (decoded === undefined || decoded[1] !== bytes.length) throw new WireError(code)
  return decoded[0]
}

/** @throws WireError 'mls/message' */
export function decodeMessage(bytes: Uint8Array): MLSMessage {
  return decodeWhole(decodeMlsMessage, bytes, MAX_ENVELOPE_BYTES, 'mls/message')
}

export function encodeMessage(content: MlsMessageContent): Uint8Array {
  return encodeMlsMessage({ version: 'mls10', ...content })
}

/** What ts-mls throws becomes a CryptoError of that code; ours passes through. */
export async function guarded<T>(code: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const isOurs = [CryptoError, StateError, UsageError, WireError].some((kind) => error instanceof kind)
    throw isOurs ? error : new CryptoError(code, { cause: error })
  }
}
