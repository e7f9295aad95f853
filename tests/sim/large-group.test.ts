import { expect, it } from 'vitest'
import { largeGroup } from '../support/sim/large-group.ts'

/** `npm run large:long` runs a thousand. */
it('[C-01] [C-02] [C-05] [C-07] a group of 120 devices is made, talked in, changed and come back to; a message writes at most 4 KB', async () => {
  const { faults, commits } = await largeGroup(120, 120)
  expect(faults).toEqual([])
  expect(commits).toBe(1)
}, 240_000)
