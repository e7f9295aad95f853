/**
 * Stands in for ts-mls 1.6.4's codec/tlsEncoder.js (patch P12): the same bytes, but written into one array, without a view
 * of it for each field. An encoder tells the length of a value, and how it is written at an offset.
 */
export function encode(enc) {
  return (value) => {
    const [length, write] = enc(value)
    const bytes = new Uint8Array(length)
    write(0, bytes)
    return bytes
  }
}

export function contramapBufferEncoder(enc, f) {
  return (value) => enc(f(value))
}

export function contramapBufferEncoders(encoders, toTuple) {
  return (value) => inTurn(toTuple(value), (_, i) => encoders[i])
}

export function composeBufferEncoders(encoders) {
  return (values) => inTurn(values, (_, i) => encoders[i])
}

/** In a loop: a chain of closures is slow, and at 8,000 leaves deeper than the stack (patch P4). */
export function inTurn(values, encoderOf) {
  let total = 0
  const writes = values.map((value, i) => {
    const [length, write] = encoderOf(value, i)(value)
    const at = total
    total += length
    return [at, write]
  })
  return [
    total,
    (offset, bytes) => {
      for (const [at, write] of writes) write(offset + at, bytes)
    },
  ]
}

export const encVoid = [0, () => {}]
