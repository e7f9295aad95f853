/** Where random bytes come from: an argument, so that tests seed it. */
export type Dice = (length: number) => Uint8Array

const MAX_BYTES_PER_CALL = 65_536 // Web Cryptography API, getRandomValues

export const systemDice: Dice = (length) => {
  const out = new Uint8Array(length)
  for (let at = 0; at < length; at += MAX_BYTES_PER_CALL) {
    crypto.getRandomValues(out.subarray(at, at + MAX_BYTES_PER_CALL))
  }
  return out
}
