import { concatBytes } from '../bytes/concat.ts'
import { source } from '../crypto/source.ts'
import { WireError } from '../errors.ts'

/** DEFLATE (RFC 1951) without a frame, by the platform. */
export async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  return through(new CompressionStream('deflate-raw'), bytes, Number.MAX_SAFE_INTEGER)
}

/** Stops as soon as there is more than `maxBytes`, whatever the input would still become. @throws WireError */
export async function inflate(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  try {
    return await through(new DecompressionStream('deflate-raw'), bytes, maxBytes)
  } catch (cause) {
    throw cause instanceof WireError ? cause : new WireError('deflate/malformed', { cause })
  }
}

async function through(
  stream: CompressionStream | DecompressionStream,
  bytes: Uint8Array,
  maxBytes: number,
): Promise<Uint8Array> {
  const writer = stream.writable.getWriter()
  const reader = stream.readable.getReader()
  // The reader says what went wrong; the writer's promises reject with the same error, or because reading stopped.
  const isFed = writer.write(source(bytes)).then(() => writer.close())
  isFed.catch(() => {})
  const parts: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return concatBytes(...parts)
    length += value.length
    if (length > maxBytes) {
      await reader.cancel()
      throw new WireError('deflate/too-large')
    }
    parts.push(value)
  }
}
