import { describe, it } from 'vitest'
import { expectConverged } from '../support/sim/expect-converged.ts'

// Two files, so that two cores share the seeds; `npm run sim:long` has the others. A seed that once failed gets a test of its own, by its number.
describe('a conversation in a storm', () => {
  it('[U-03] [I-04] [I-05] [C-03] converges: seed 1', () => expectConverged(1))
})
