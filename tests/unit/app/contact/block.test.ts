import { beforeEach, describe, expect, it } from 'vitest'
import { setBlocked } from '#app/contact/block.ts'
import type { Deps } from '#app/deps.ts'
import { personViews } from '#app/face/person-views.ts'
import type { ChannelRecord } from '#app/ports/records.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import type { AccountId } from '#core/wire/ids.ts'
import { MemoryRows } from '../../../support/memory-rows.ts'
import { Seeded } from '../../../support/seeded.ts'
import { PlainStore } from '../../../support/sim/plain-store.ts'

const stranger = new Uint8Array(32).fill(7) as AccountId
const channel: ChannelRecord = {
  title: 'Roof',
  kind: 'group',
  state: 'open',
  lastText: '',
  lastAtMs: 0,
  lastState: 'none',
  theirs: 0,
  request: { account: stranger, name: 'Double glazing', manifest: Uint8Array.of(1), sequence: 1 },
}

let deps: Deps
beforeEach(async () => {
  const store = new PlainStore(new MemoryRows())
  await store.takeOver()
  await store.write([{ put: 'channels', key: 'c', record: channel }])
  deps = { store, dice: new Seeded(1).dice, clock: { now: () => 5 } } as unknown as Deps
})

describe('blocking somebody who only asks', () => {
  it('[M-11] keeps who they are, so that it holds and can be taken back', async () => {
    await setBlocked(deps, toBase64url(stranger), true)
    expect(await personViews(deps.store)).toMatchObject([{ name: 'Double glazing', blocked: true, verified: false }])
    await setBlocked(deps, toBase64url(stranger), false)
    expect((await personViews(deps.store))[0]?.blocked).toBeUndefined()
  })

  it('[M-11] is for those who ask alone: of others nothing is known', async () => {
    await expect(setBlocked(deps, toBase64url(stranger), false)).rejects.toMatchObject({ code: 'person/unknown' })
    const nobody = toBase64url(new Uint8Array(32).fill(8))
    await expect(setBlocked(deps, nobody, true)).rejects.toMatchObject({ code: 'person/unknown' })
    expect(await deps.store.list('contacts')).toEqual([])
  })
})
