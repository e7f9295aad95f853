import { beforeEach, describe, expect, it } from 'vitest'
import { Draft } from '#app/draft.ts'
import { StoreError } from '#core/errors.ts'
import { MemoryRows } from '../../support/memory-rows.ts'
import { PlainStore } from '../../support/sim/plain-store.ts'

let rows: MemoryRows
let store: PlainStore
beforeEach(async () => {
  rows = new MemoryRows()
  store = new PlainStore(rows)
  await store.takeOver()
})

describe('an effect in the making', () => {
  it('reads what was put before, and what was deleted as gone; the store sees all of it at once', async () => {
    await store.write([{ put: 'drafts', key: 'b', record: { text: 'old' } }])
    const batches: number[] = []
    rows.onWrite = (changes) => batches.push(changes.length)
    const draft = new Draft(store)
    draft.put('drafts', 'a', { text: 'first' })
    draft.put('drafts', 'a', { text: 'second' })
    draft.delete('drafts', 'b')
    expect(await draft.get('drafts', 'a')).toEqual({ text: 'second' })
    expect(await draft.get('drafts', 'b')).toBeUndefined()
    expect(await store.get('drafts', 'b')).toEqual({ text: 'old' })
    await draft.commit()
    expect(batches).toEqual([2])
    expect([await store.get('drafts', 'a'), await store.get('drafts', 'b')]).toEqual([{ text: 'second' }, undefined])
  })

  it('[I-04] wipes what it spends once it is stored, and not when the disk refuses', async () => {
    const secret = new Uint8Array(4).fill(9)
    const draft = new Draft(store)
    draft.put('drafts', 'a', { text: 'x' })
    draft.spend([secret])
    await new PlainStore(rows).takeOver() // another writer
    await expect(draft.commit()).rejects.toThrow(StoreError)
    expect(secret).toEqual(new Uint8Array(4).fill(9))
    await store.takeOver()
    rows.onWrite = () => expect(secret).toEqual(new Uint8Array(4).fill(9))
    await draft.commit()
    expect(secret).toEqual(new Uint8Array(4))
  })
})
