import type { Dice } from '#core/crypto/random.ts'

const FIRST_MS = 500
const MAX_MS = 30_000

/**
 * How long to wait before the next try: doubling, half of it by chance, so that the clients of a relay that came back do not
 * all come back at once.
 * @param failures how many tries failed in a row, from 1
 */
export function backoffMs(failures: number, dice: Dice): number {
  const ceiling = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10))
  const [high = 0, low = 0] = dice(2)
  return Math.round(ceiling * (0.5 + (high * 256 + low) / 131_072))
}
