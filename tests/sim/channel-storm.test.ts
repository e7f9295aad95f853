import { describe, expect, it } from 'vitest'
import { stormy } from '../support/sim/stormy.ts'

/** More of them, and larger ones, by `npm run channels:long`. What a seed has found is in channel-storm-found.test.ts. */
describe('a channel in a storm', () => {
  for (let seed = 1; seed <= 2; seed++) {
    it(`[C-03] [C-04] [C-06] [C-07] [I-04] [I-05] [I-06] all who are in have one view, nothing is lost and nothing leaks: seed ${seed}`, async () => {
      expect((await stormy(seed, 'small')).faults).toEqual([])
    }, 180_000)
  }
})
