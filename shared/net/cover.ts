import type { Dice } from '#core/crypto/random.ts'

/** Mean time between cover frames while a connection is open (docs/spec/cover.md). */
const MEAN_MS = 20_000
const MAX_MS = 120_000

/** Exponentially distributed: at no moment does the time since the last frame tell when the next one comes. */
export function coverDelayMs(dice: Dice): number {
  return Math.min(MAX_MS, -Math.log(1 - unit(dice)) * MEAN_MS)
}

/** Sizes as real traffic has them: mostly short, sometimes long. Bytes of a sealed frame. */
export function coverBytes(dice: Dice): number {
  const draw = unit(dice)
  if (draw < 0.6) return 512
  if (draw < 0.85) return 1024
  return draw < 0.97 ? 256 : 2048
}

function unit(dice: Dice): number {
  const [a = 0, b = 0, c = 0] = dice(3)
  return (a * 65_536 + b * 256 + c) / 16_777_216
}
