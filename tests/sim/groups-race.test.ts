import { expect, it } from 'vitest'
import { race } from '../support/sim/race.ts'

/** 500 by `npm run race:long`. */
const ROUNDS = Number(process.env.STAVE_RACE_ROUNDS ?? 6)

it(`[C-03] [I-04] [I-14] eight clients commit at the same moment, ${ROUNDS} rounds: one view each time, no message lost`, {
  timeout: 3_600_000,
}, async () => {
  const { faults, offered, ordered } = await race(41, ROUNDS)
  expect(faults).toEqual([])
  expect(ordered).toBeGreaterThanOrEqual(ROUNDS)
  expect(offered - ordered, 'and most of them lost').toBeGreaterThan(4 * ROUNDS)
})
