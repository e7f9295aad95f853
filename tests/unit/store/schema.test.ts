import 'fake-indexeddb/auto'
import { openDB } from 'idb'
import { describe, expect, it } from 'vitest'
import { IdbRows } from '#store/idb-rows.ts'
import { type AnyTable, versions } from '#store/schema.ts'
import { SealedStore } from '#store/sealed-store.ts'
import { makeKeyMemory } from '../../support/key-memory.ts'
import { makeMemoryHandles } from '../../support/memory-rows.ts'

describe('the schema', () => {
  for (const [index] of versions.entries()) {
    const version = index + 1
    it(`[U-07] opens a database of version ${version}, keeps its rows, and has every table`, async () => {
      const name = `version-${version}`
      const old = await openDB(name, version, {
        upgrade: (db) => {
          for (const stores of versions.slice(0, version)) {
            for (const [table, kind] of Object.entries(stores))
              db.createObjectStore(table, { autoIncrement: kind === '++' })
          }
        },
      })
      await old.put('meta', Uint8Array.of(7), 'account')
      old.close()
      const rows = new IdbRows(name)
      expect(await rows.get('meta', 'account')).toEqual(Uint8Array.of(7))
      for (const table of new Set(versions.flatMap((stores) => Object.keys(stores)))) {
        expect(await rows.range(table as 'meta', { limit: 1 }), table).toBeDefined()
      }
    })
  }

  it('[U-07] opens the first version with its keys, and seals into every table that came later', async () => {
    const handles = makeMemoryHandles()
    const first = new Set(Object.keys(versions[0] ?? {}))
    const name = 'first-with-keys'
    await new SealedStore(new IdbRows('made-now'), handles, makeKeyMemory()).create()
    const made = await openDB('made-now')
    const old = await openDB(name, 1, {
      upgrade: (db) => {
        for (const [table, kind] of Object.entries(versions[0] ?? {}))
          db.createObjectStore(table, { autoIncrement: kind === '++' })
      },
    })
    for (const table of await made.getAllKeys('keys'))
      if (first.has(String(table))) await old.put('keys', await made.get('keys', table), table)
    made.close()
    old.close()

    const store = new SealedStore(new IdbRows(name), handles, makeKeyMemory())
    expect(await store.condition()).toBe('usable')
    await store.takeOver()
    for (const table of new Set(versions.flatMap((stores) => Object.keys(stores) as AnyTable[]))) {
      if (table === 'keys' || table === 'fence') continue
      await store.write([{ put: table as 'drafts', key: 'a', record: { text: table } }])
      expect(
        await new SealedStore(new IdbRows(name), handles, makeKeyMemory()).get(table as 'drafts', 'a'),
        table,
      ).toEqual({
        text: table,
      })
    }
  })

  it('[U-07] names a database of a later version, and changes nothing in it', async () => {
    const later = await openDB('later', versions.length + 1)
    later.close()
    await expect(new IdbRows('later').probe()).rejects.toMatchObject({ code: 'store/newer' })
  })
})
