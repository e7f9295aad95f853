import { describe, expect, it } from 'vitest'
import { converse, type Storm } from '../support/sim/conversation.ts'
import { FOUL } from '../support/sim/sim-relay.ts'

const MINUTE_MS = 60_000
const SEEDS = Number(process.env.SIM_SEEDS ?? 10)
const FIRST_SEED = Number(process.env.SIM_SEED ?? 1)
const MESSAGES = Number(process.env.SIM_MESSAGES ?? 500)

const storm: Storm = {
  messages: MESSAGES,
  devices: 6,
  weather: FOUL,
  crashChance: 0.01,
  relayRestarts: 5,
  awaySpells: 8,
  heals: 12,
  overMs: 20 * MINUTE_MS,
}

async function expectConverged(seed: number): Promise<void> {
  const { written, read, unreadable, crashes, reused } = await converse(seed, storm)
  const [first = [], ...others] = read.values()
  expect(unreadable, 'nothing is unreadable').toEqual([])
  expect(written).toHaveLength(MESSAGES)
  expect(first.map((line) => line.slice(line.indexOf(' ') + 1)).sort(), 'each message exactly once').toEqual(
    [...written].sort(),
  )
  for (const other of others) expect(other, 'the same order everywhere').toEqual(first)
  expect(reused, 'no key is used twice').toEqual([])
  expect(crashes, 'the storm did crash devices').toBeGreaterThan(0)
}

describe('a conversation in a storm', () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    it(`[U-03] [I-04] [I-05] [C-03] converges: seed ${seed}`, () => expectConverged(seed))
  }
})
