import fc from 'fast-check'
import { CryptoError, InputError, StateError, WireError } from '#core/errors.ts'

/** The same inputs in every run. */
export const RUNS = { seed: 20_260_201, numRuns: 400 }

/** Bytes changed, cut, added or repeated: near enough to the real thing to get past the first checks. */
export function mutated(valid: Uint8Array): fc.Arbitrary<Uint8Array> {
  const at = fc.nat({ max: valid.length - 1 })
  return fc.oneof(
    fc
      .array(fc.tuple(at, fc.nat({ max: 255 })), { minLength: 1, maxLength: 6 })
      .map((edits) => edits.reduce((bytes, [where, value]) => bytes.with(where, value), valid)),
    at.map((end) => valid.slice(0, end)),
    fc.tuple(at, fc.uint8Array({ minLength: 1, maxLength: 40 })).map(([where, more]) => splice(valid, where, more)),
    fc.tuple(at, at).map(([from, to]) => splice(valid, to, valid.slice(from, from + 64))),
  )
}

/** I-10: a value, or an error for the outside world; anything else is a fault of ours. */
export async function onlyTyped(run: () => unknown): Promise<void> {
  try {
    await run()
  } catch (error) {
    const isTyped = [CryptoError, InputError, StateError, WireError].some((kind) => error instanceof kind)
    if (!isTyped) throw error
  }
}

function splice(bytes: Uint8Array, at: number, more: Uint8Array): Uint8Array {
  return new Uint8Array([...bytes.subarray(0, at), ...more, ...bytes.subarray(at)])
}
