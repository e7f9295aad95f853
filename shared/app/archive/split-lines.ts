import { concatBytes } from '#core/bytes/concat.ts'
import { fromUtf8 } from '#core/bytes/utf8.ts'
import { WireError } from '#core/errors.ts'
import { MAX_ARCHIVE_LINE_BYTES } from './archive-line.ts'

const NEWLINE = 10

/** The lines of a stream of bytes; no more of it is held than one line and what came with its end. */
export async function* splitLines(
  stream: ReadableStream<Uint8Array>,
  counted: (bytes: number) => void,
): AsyncGenerator<string> {
  const reader = stream.getReader()
  let held: Uint8Array = new Uint8Array()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      counted(value.length)
      held = concatBytes(held, value)
      let start = 0
      for (let end = held.indexOf(NEWLINE); end !== -1; end = held.indexOf(NEWLINE, start)) {
        yield lineOf(held.subarray(start, end))
        start = end + 1
      }
      held = held.slice(start)
      if (held.length > MAX_ARCHIVE_LINE_BYTES) throw new WireError('archive/line')
    }
    if (held.length > 0) yield lineOf(held)
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function lineOf(bytes: Uint8Array): string {
  if (bytes.length > MAX_ARCHIVE_LINE_BYTES) throw new WireError('archive/line')
  return fromUtf8(bytes)
}
