import { WireError } from '../errors.ts'

/**
 * Cover content: what answer the sender of a cover frame asks for (T-03).
 *    1B  answer: 0 none, else the exponent of the answer's bucket (8 = 256 B … 15 = 32 KiB)
 */
export function encodeCover(answerBytes: number): Uint8Array {
  return Uint8Array.of(answerBytes === 0 ? 0 : Math.log2(answerBytes))
}

/** @returns the bytes of the frame to answer with, 0 for none */
export function decodeCover(content: Uint8Array): number {
  const exponent = content[0]
  if (content.length !== 1 || exponent === undefined) throw new WireError('cover/length')
  if (exponent === 0) return 0
  if (exponent < 8 || exponent > 15) throw new WireError('cover/answer')
  return 1 << exponent
}
