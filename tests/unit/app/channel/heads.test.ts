import { expect, it } from 'vitest'
import { forgetHeads, headAt, noteHead } from '#app/channel/heads.ts'
import { Draft } from '#app/draft.ts'
import type { Head } from '#core/wire/ids.ts'
import { MemoryRows } from '../../../support/memory-rows.ts'
import { PlainStore } from '../../../support/sim/plain-store.ts'

const headOf = (n: number) => new Uint8Array(32).fill(n) as Head

it('[C-06] the heads of the last 32 places are kept, of each channel by itself, and none once the chain goes on from elsewhere', async () => {
  const store = new PlainStore(new MemoryRows())
  await store.takeOver()
  for (let position = 1; position <= 40; position++) {
    const draft = new Draft(store)
    noteHead(draft, 'c', position, headOf(position))
    await draft.commit()
  }
  const draft = new Draft(store)
  noteHead(draft, 'd', 1, headOf(99))
  await draft.commit()
  expect((await store.list('heads', { of: 'c' })).length).toBe(32)
  expect(await headAt(new Draft(store), 'c', 40)).toEqual(headOf(40))
  expect(await headAt(new Draft(store), 'c', 9)).toEqual(headOf(9))
  expect(await headAt(new Draft(store), 'c', 8)).toBeUndefined()
  const gone = new Draft(store)
  await forgetHeads(store, gone, 'c')
  await gone.commit()
  expect(await store.list('heads', { of: 'c' })).toEqual([])
  expect(await headAt(new Draft(store), 'd', 1)).toEqual(headOf(99))
})
