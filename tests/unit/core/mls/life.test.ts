import { describe, expect, it } from 'vitest'
import { SUITE_CLASSICAL, SUITE_XWING } from '#core/mls/index.ts'
import { Life, type Plan } from './life.ts'

const classical = (seed: number, steps = 25): Plan => ({ seed, suite: SUITE_CLASSICAL, steps, atMost: 10 })
const hybrid = (seed: number): Plan => ({ seed, suite: SUITE_XWING, steps: 10, atMost: 6 })
const crowd = (seed: number, size: number): Plan => ({
  seed,
  suite: SUITE_CLASSICAL,
  steps: 5,
  atMost: size,
  startWith: size - 4,
})

/** STAVE_LONG=1: more seeds, and groups of 300. */
const long = process.env.STAVE_LONG === '1'
const plans = [
  ...[1, 2].map((seed) => classical(seed)),
  hybrid(11),
  crowd(21, 40),
  ...(long
    ? [...Array.from({ length: 40 }, (_, i) => classical(100 + i, 60)), ...[201, 202].map(hybrid), crowd(301, 300)]
    : []),
]

describe('[C-01] groups live on, whatever order things come in', () => {
  it.each(plans)(
    'seed $seed, up to $atMost devices: everybody agrees and opens everything, restored and wiped after each step',
    async (plan) => {
      const life = await Life.begin(plan)
      for (let step = 0; step < plan.steps; step++) await life.step()
      await life.end()
      expect(life.counts.commits).toBeGreaterThanOrEqual(plan.steps)
      console.log(`seed ${plan.seed}: ${JSON.stringify(life.counts)}, ${life.seats.size} devices at the end`)
    },
    600_000,
  )
})
