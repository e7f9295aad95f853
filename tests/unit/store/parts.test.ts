import { beforeEach, describe, expect, it } from 'vitest'
import type { SyncRecord } from '#app/ports/records.ts'
import type { EntryId, SeatId } from '#core/wire/ids.ts'
import { SealedStore } from '#store/sealed-store.ts'
import { makeKeyMemory } from '../../support/key-memory.ts'
import { MemoryRows, makeMemoryHandles } from '../../support/memory-rows.ts'
import { PlainStore } from '../../support/sim/plain-store.ts'

const seat = (n: number) => ({
  leaf: n,
  seat: new Uint8Array(16).fill(n) as SeatId,
  entry: new Uint8Array(16).fill(n) as EntryId,
  moderator: false,
})
const seats = Array.from({ length: 1000 }, (_, n) => seat(n))
const sync = { cursor: 1, seats, accounts: [] } as unknown as SyncRecord
const put = (record: SyncRecord) => ({ put: 'syncs', key: 'c', record }) as const

describe('[C-02] a record of which a part is large and seldom changes', () => {
  let rows: MemoryRows
  let handles: ReturnType<typeof makeMemoryHandles>
  let store: SealedStore
  let written: string[]
  beforeEach(async () => {
    rows = new MemoryRows()
    handles = makeMemoryHandles()
    store = new SealedStore(rows, handles, makeKeyMemory())
    await store.create()
    await store.takeOver()
    await store.write([put(sync)])
    written = []
    rows.onWrite = (changes) => {
      for (const change of changes)
        written.push(
          'put' in change ? `${change.put} ${change.value.length > 1000 ? 'large' : 'small'}` : change.delete,
        )
    }
  })

  it('is written small while that part is the same, and whole to whoever reads it', async () => {
    await store.write([put({ ...sync, cursor: 2 })])
    expect(written).toEqual(['syncs small'])
    expect(await store.get('syncs', 'c')).toEqual({ ...sync, cursor: 2 })
    expect(await store.list('syncs')).toEqual([{ key: 'c', record: { ...sync, cursor: 2 } }])
    const face = new SealedStore(rows, handles, makeKeyMemory())
    expect(await face.get('syncs', 'c')).toEqual({ ...sync, cursor: 2 })
  })

  it('is written with that part when it changes, and small again after', async () => {
    const fewer = { ...sync, seats: seats.slice(1) }
    await store.write([put(fewer)])
    await store.write([put({ ...fewer, cursor: 3 })])
    expect(written).toEqual(['syncs small', 'rosters large', 'syncs small'])
    expect((await store.get('syncs', 'c'))?.seats).toHaveLength(999)
  })

  it('that was read is written back small, by another process too', async () => {
    const next = new SealedStore(rows, handles, makeKeyMemory())
    await next.takeOver()
    const there = await next.get('syncs', 'c')
    if (there === undefined) throw new Error('nothing there')
    await next.write([put({ ...there, cursor: 9 })])
    expect(written).toEqual(['syncs small'])
    expect(await next.get('syncs', 'c')).toEqual({ ...sync, cursor: 9 })
  })

  /** As another process finds it. */
  async function reopened(): Promise<SyncRecord> {
    const there = await new SealedStore(rows, handles, makeKeyMemory()).get('syncs', 'c')
    if (there === undefined) throw new Error('nothing there')
    return there
  }

  it('is whole when a write failed in between, or another context wrote', async () => {
    const other = { ...sync, seats: seats.slice(5) }
    const write = rows.write.bind(rows)
    rows.write = () => Promise.reject(new Error('full'))
    await expect(store.write([put(other)])).rejects.toThrow()
    rows.write = write
    await store.write([put(other)])
    expect((await reopened()).seats).toHaveLength(995)
    await store.write([put({ ...sync, cursor: 4 })])
    expect((await store.get('syncs', 'c'))?.seats).toHaveLength(1000)
    const tab = new SealedStore(rows, handles, makeKeyMemory())
    await tab.takeOver()
    await tab.write([put(other)])
    await store.takeOver()
    await store.write([put({ ...sync, cursor: 5 })])
    expect((await reopened()).seats).toHaveLength(1000)
  })

  it('goes with its part', async () => {
    await store.write([{ delete: 'syncs', key: 'c' }])
    expect(written).toEqual(['syncs', 'rosters'])
    expect(await store.get('syncs', 'c')).toBeUndefined()
    await store.write([put(sync)])
    expect(await store.get('syncs', 'c')).toEqual(sync)
  })

  it('of before there were parts is read as it is, and parted by the next write', async () => {
    const old = new PlainStore(new MemoryRows())
    await old.takeOver()
    await old.unsafeWriteWhole('syncs', 'c', sync)
    expect(await old.get('syncs', 'c')).toEqual(sync)
    await old.write([put({ ...sync, cursor: 7 })])
    expect(await old.get('syncs', 'c')).toEqual({ ...sync, cursor: 7 })
    expect(await old.get('rosters', 'c')).toEqual({ seats, accounts: [] })
  })
})
