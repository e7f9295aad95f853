import type { Deps } from '../deps.ts'

/** A time by chance, so that not all devices do the same at once. */
export function spread({ dice }: Pick<Deps, 'dice'>, withinMs: number): number {
  const [high = 0, low = 0] = dice(2)
  return Math.floor((withinMs * (high * 256 + low)) / 65_536)
}
