import 'fake-indexeddb/auto'
import { openDB } from 'idb'
import { describe, expect, it } from 'vitest'
import { IdbRows } from '#store/idb-rows.ts'
import { versions } from '#store/schema.ts'

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

  it('[U-07] names a database of a later version, and changes nothing in it', async () => {
    const later = await openDB('later', versions.length + 1)
    later.close()
    await expect(new IdbRows('later').probe()).rejects.toMatchObject({ code: 'store/newer' })
  })
})
