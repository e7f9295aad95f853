/** Crockford's base32: no I, L, O, U, so that what is read aloud or typed is not mistaken. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const VALUES = new Map([...ALPHABET].map((symbol, value) => [symbol, value]))
const LOOKALIKES: Readonly<Record<string, string>> = { I: '1', L: '1', O: '0' }

/** @param bytes a multiple of five */
export function encodeCrockford(bytes: Uint8Array): string {
  let out = ''
  let held = 0
  let bits = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      out += ALPHABET[(held >> bits) & 31]
    }
    held &= (1 << bits) - 1
  }
  return out
}

/** Whole bytes of it; undefined for a symbol that is none. */
export function decodeCrockford(text: string): Uint8Array | undefined {
  const out: number[] = []
  let held = 0
  let bits = 0
  for (const symbol of text.toUpperCase()) {
    const value = VALUES.get(LOOKALIKES[symbol] ?? symbol)
    if (value === undefined) return undefined
    held = (held << 5) | value
    bits += 5
    if (bits >= 8) {
      bits -= 8
      out.push((held >> bits) & 0xff)
      held &= (1 << bits) - 1
    }
  }
  return Uint8Array.from(out)
}
