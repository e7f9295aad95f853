import { describe, expect, it } from 'vitest'
import { judgeMany, manyDevices } from '../support/sim/many-devices.ts'

// A seed that once failed gets a test of its own, by its number.
describe('three accounts with eight devices in a storm', () => {
  // Seed 2 once lost an entry's token with a device's state, and told an older one as news.
  it('[C-07] [K-07] [U-03] [I-03] [I-04] lose states, come back, lose a device for good, and converge: seed 2', async () => {
    expect(judgeMany(await manyDevices(2, 120))).toEqual([])
  }, 180_000)
})
