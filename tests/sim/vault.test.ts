import { describe, expect, it } from 'vitest'
import { readKeyRing } from '#app/account/key-ring.ts'
import { encodeKeyRing, hashKeyRing } from '#core/keys/key-ring.ts'
import { manifestOf, start } from '../support/sim/account.ts'
import { twin } from '../support/sim/twin.ts'

describe('the vault of an account with several devices', () => {
  it('[K-09] lies at the realm with a door for each device, and its ring is the one that the manifest names', async () => {
    const { world, ann } = await start(1)
    const two = await twin(world, ann, 'two')
    for (const device of [ann, two]) device.lose()
    await world.run(20_000)
    const [one, other] = await Promise.all([readKeyRing(ann.store()), readKeyRing(two.store())])
    expect(one.vaultNumber).toBeGreaterThan(0)
    expect(encodeKeyRing(one.ring)).toEqual(encodeKeyRing(other.ring))
    expect((await manifestOf(ann)).vault).toMatchObject({ generation: 1, keyRingHash: hashKeyRing(one.ring) })
  })
})
