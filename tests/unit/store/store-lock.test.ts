import { beforeEach, describe, expect, it } from 'vitest'
import type { KeyHandles } from '#app/ports/keys.ts'
import type { KeyMemory, LockRecord } from '#app/ports/lock.ts'
import type { ChannelRecord } from '#app/ports/records.ts'
import { UsageError } from '#core/errors.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { RawChange, Rows } from '#store/rows.ts'
import { SealedStore } from '#store/sealed-store.ts'
import { makeKeyMemory } from '../../support/key-memory.ts'
import { MemoryRows, makeMemoryHandles } from '../../support/memory-rows.ts'

const secret = new Uint8Array(32).fill(7)
const lock: LockRecord = {
  id: new Uint8Array(16).fill(1),
  door: { by: 'passphrase', salt: new Uint8Array(16), memoryKib: 8192, passes: 1, lanes: 1 },
  sealed: new Uint8Array(60).fill(2),
  afterMinutes: 5,
}

describe('a store with an app lock', () => {
  let rows: MemoryRows
  let handles: KeyHandles
  let memory: KeyMemory
  let store: SealedStore
  beforeEach(async () => {
    rows = new MemoryRows()
    handles = makeMemoryHandles()
    memory = makeKeyMemory()
    store = new SealedStore(rows, handles, memory)
    await store.create()
    await store.takeOver()
    await store.write([{ put: 'drafts', key: 'c', record: { text: 'mine' } }])
  })

  const draft = async (of: SealedStore) => (await of.get('drafts', 'c'))?.text
  const restarted = () => new SealedStore(rows, handles, makeKeyMemory())

  it('[K-10] opens with the lock’s bytes alone: the old key is gone, no table key stays in memory', async () => {
    const tab = new SealedStore(rows, handles, memory)
    await store.setLock(lock, secret)
    expect(await handles.names()).not.toContain('storage')
    expect(await store.condition()).toBe('usable')
    expect([await draft(store), await draft(tab)]).toEqual(['mine', 'mine'])

    const heard: string[] = []
    tab.onLock((state) => heard.push(state))
    await store.lockNow()
    expect(heard).toEqual(['locked'])
    for (const context of [store, tab, restarted()]) {
      expect(await context.condition()).toBe('locked')
      await expect(draft(context)).rejects.toMatchObject({ code: 'store/locked' })
      await expect(context.writeFree('drafts', 'd', { text: '' })).rejects.toMatchObject({ code: 'store/locked' })
    }
    await expect(store.removeLock()).rejects.toMatchObject({ code: 'store/locked' })
    await tab.unlock((await tab.lock()) ?? lock, secret)
    expect(await draft(store)).toBe('mine')
  })

  it('[K-10] [LCK7] what it has decoded of large rows goes too, and what was being written puts none back', async () => {
    const names = [{ account: new Uint8Array(32).fill(5) as AccountId, name: 'Bea' }]
    const record = { title: 'Roof', names } as unknown as ChannelRecord
    await store.write([{ put: 'channels', key: 'c', record }])
    await store.setLock(lock, secret)
    expect((await store.get('channels', 'c'))?.names).toEqual(names)
    const asked: string[] = []
    const { get } = rows
    rows.get = (table, key) => {
      asked.push(table)
      return get.call(rows, table, key)
    }
    const changed: ChannelRecord = { ...record, names: [...names, ...names] }
    const writing = store.write([{ put: 'channels', key: 'c', record: changed }])
    await store.lockNow()
    await writing.catch(() => undefined)
    await store.unlock(lock, secret)
    asked.length = 0
    await store.get('channels', 'c')
    expect(asked.toSorted()).toContain('looks')
  })

  it('[K-10] seals under the same table keys before, with and after the lock', async () => {
    await store.setLock(lock, secret)
    await store.writeFree('drafts', 'c', { text: 'with' })
    await store.setLock({ ...lock, id: new Uint8Array(16).fill(3) }, new Uint8Array(32).fill(8))
    expect(await draft(store)).toBe('with')
    await store.removeLock()
    expect(await store.lock()).toBeUndefined()
    expect([await draft(store), await draft(restarted())]).toEqual(['with', 'with'])
  })

  it('[K-10] another secret opens nothing', async () => {
    await store.setLock(lock, secret)
    await store.lockNow()
    await store.unlock(lock, new Uint8Array(32))
    await expect(draft(store)).rejects.toMatchObject({ code: 'store/broken' })
  })

  it('[K-10] a context that was fenced off locks nothing', async () => {
    await new SealedStore(rows, handles, memory).takeOver()
    await expect(store.setLock(lock, secret)).rejects.toMatchObject({ code: 'store/fenced' })
    expect(await draft(restarted())).toBe('mine')
  })

  it('[U-04] a table that gets its first key while the lock is turned on can be read after it', async () => {
    await rows.write([{ delete: 'keys', key: 'reads' }], undefined)
    const tab = new SealedStore(rows, handles, memory)
    const reading = tab.writeFree('reads', 'c', { order: 1, theirs: 1 })
    await Promise.all([store.setLock(lock, secret), reading])
    const later = new SealedStore(rows, handles, memory)
    expect(await later.get('reads', 'c')).toEqual({ order: 1, theirs: 1 })
  })

  /** Every act that changes what is kept, of rows and of handles, in turn. */
  for (const turn of ['on', 'off'] as const) {
    it(`[I-16] turning it ${turn}: a crash before or after any step leaves a store that opens one way or the other`, async () => {
      if (turn === 'off') await store.setLock(lock, secret)
      for (let at = 1; ; at++) {
        for (const side of ['before', 'after'] as const) {
          const [disk, kept] = await copyOf(rows, handles)
          const crash = crashAt(at, side)
          const ram = makeKeyMemory()
          await ram.save(lock, secret)
          const dying = new SealedStore(crashing(disk, crash), crashingHandles(kept, crash), ram)
          await dying.takeOver()
          crash.armed = true
          const done = await (turn === 'on' ? dying.setLock(lock, secret) : dying.removeLock()).then(
            () => true,
            () => false,
          )
          const after = new SealedStore(disk, kept, makeKeyMemory())
          await after.takeOver()
          if ((await after.condition()) === 'locked') {
            expect(await kept.names(), `${side} ${at}`).not.toContain('storage')
            await after.unlock(lock, secret)
          }
          expect(await draft(after), `${side} ${at}`).toBe('mine')
          await after.write([{ put: 'drafts', key: 'd', record: { text: 'goes on' } }])
          if (done) return expect(at).toBeGreaterThan(2)
        }
      }
    })
  }
})

type Crash = { armed: boolean; step: (run: () => Promise<void>) => Promise<void> }

function crashAt(at: number, side: 'before' | 'after'): Crash {
  let left = at
  const crash: Crash = {
    armed: false,
    step: async (run) => {
      if (!crash.armed) return run()
      if (left <= 0) throw new UsageError('test/dead')
      left--
      if (left === 0 && side === 'before') throw new UsageError('test/dead')
      await run()
      if (left === 0) throw new UsageError('test/dead')
    },
  }
  return crash
}

function crashing(rows: MemoryRows, crash: Crash): Rows {
  return {
    get: (table, key) => rows.get(table, key),
    range: (table, range) => rows.range(table, range),
    write: (changes, fence) => crash.step(() => rows.write(changes, fence)),
    append: (table, value) => rows.append(table, value),
    addIfAbsent: (table, key, value) => rows.addIfAbsent(table, key, value),
    raiseFence: () => rows.raiseFence(),
    probe: () => rows.probe(),
  }
}

function crashingHandles(handles: KeyHandles, crash: Crash): KeyHandles {
  return {
    ...handles,
    save: (name, key) => crash.step(() => handles.save(name, key)),
    remove: (name) => crash.step(() => handles.remove(name)),
  }
}

async function copyOf(rows: MemoryRows, handles: KeyHandles): Promise<[MemoryRows, KeyHandles]> {
  const copy = new MemoryRows()
  for (const table of ['keys', 'drafts'] as const) {
    const changes = (await rows.range(table, {})).map(({ key, value }): RawChange => ({ put: table, key, value }))
    await copy.write(changes, undefined)
  }
  const kept = makeMemoryHandles()
  for (const name of await handles.names()) await kept.save(name, (await handles.load(name)) as CryptoKey)
  return [copy, kept]
}
