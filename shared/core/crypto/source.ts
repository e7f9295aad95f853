/** WebCrypto's types refuse bytes that may lie in shared memory; ours never do, and one that did would be copied. */
export function source(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes)
}
