export const MIN_PASSPHRASE = 12

/** The rule for what opens something for good (K-09): twelve characters after NFKC, which six words always have. */
export function isLongEnough(passphrase: string): boolean {
  return [...passphrase.normalize('NFKC').trim()].length >= MIN_PASSPHRASE
}
