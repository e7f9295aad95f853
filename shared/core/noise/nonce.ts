/** ChaChaPoly's nonce (Noise rev. 34, section 12.3): four zero bytes, then the counter, little-endian. */
export function nonceOf(counter: number): Uint8Array {
  const nonce = new Uint8Array(12)
  new DataView(nonce.buffer).setBigUint64(4, BigInt(counter), true)
  return nonce
}
