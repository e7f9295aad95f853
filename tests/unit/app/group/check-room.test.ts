import { expect, it } from 'vitest'
import { checkRoom } from '#app/group/check-room.ts'
import { SUITE_CLASSICAL, SUITE_XWING } from '#core/mls/index.ts'
import { create, makeAccount, world } from '../../core/mls/support.ts'

const person = { devices: Array.from({ length: 64 }) as never }
const people = (count: number) => Array.from({ length: count }, () => person)

it('[C-02] [GRP8] a group with hybrid keys has at most 800 devices, one with classical keys as many as there can be seats', async () => {
  const ann = await makeAccount('ann')
  const [hybrid, classical] = [await create(world(SUITE_XWING), ann), await create(world(SUITE_CLASSICAL), ann)]
  expect(() => checkRoom({ group: hybrid }, people(12))).not.toThrow()
  expect(() => checkRoom({ group: hybrid }, people(13))).toThrow('group/too-many')
  expect(() => checkRoom({ group: classical }, people(15))).not.toThrow()
  expect(() => checkRoom({ group: classical }, people(16))).toThrow('group/too-many')
})
