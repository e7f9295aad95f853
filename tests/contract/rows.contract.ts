import { describe, expect, it } from 'vitest'
import type { Rows } from '#store/rows.ts'

/** What every implementation of Rows does, the real one and its twin. */
export function rowsContract(name: string, make: () => Rows): void {
  describe(`rows: ${name}`, () => {
    const value = (n: number) => Uint8Array.of(n)

    it('[U-04] refuses a writer whose fence was passed, and writes nothing of its batch', async () => {
      const rows = make()
      const first = await rows.raiseFence()
      await rows.write([{ put: 'meta', key: 'a', value: value(1) }], first)
      const second = await rows.raiseFence()
      await expect(rows.write([{ put: 'meta', key: 'a', value: value(9) }], first)).rejects.toMatchObject({
        code: 'store/fenced',
      })
      expect(await rows.get('meta', 'a')).toEqual(value(1))
      await rows.write([{ put: 'meta', key: 'a', value: value(2) }], second)
      expect(await rows.get('meta', 'a')).toEqual(value(2))
    })

    it('reads a range by its first key, in order, bounded, either way round', async () => {
      const rows = make()
      const fence = await rows.raiseFence()
      await rows.write(
        ['a', 'b'].flatMap((of) =>
          [3, 1, 2, 10].map((n) => ({ put: 'lines' as const, key: [of, n] as const, value: value(n) })),
        ),
        fence,
      )
      const numbers = async (range: Parameters<Rows['range']>[1]) =>
        (await rows.range('lines', range)).map((row) => row.value[0])
      expect(await numbers({ of: 'a' })).toEqual([1, 2, 3, 10])
      expect(await numbers({ of: 'a', after: 1, before: 10 })).toEqual([2, 3])
      expect(await numbers({ of: 'b', newestFirst: true, limit: 2 })).toEqual([10, 3])
      expect(await numbers({ of: 'b', before: 3, newestFirst: true, limit: 1 })).toEqual([2])
      expect(await numbers({ of: 'c' })).toEqual([])
      expect(await numbers({})).toEqual([1, 2, 3, 10, 1, 2, 3, 10])
    })

    it('[U-03] keeps what was appended in its order, and forgets what was deleted', async () => {
      const rows = make()
      for (const n of [5, 6, 7]) await rows.append('intents', value(n))
      const all = await rows.range('intents', {})
      expect(all.map((row) => row.value[0])).toEqual([5, 6, 7])
      const fence = await rows.raiseFence()
      await rows.write([{ delete: 'intents', key: all[1]?.key ?? 0 }], fence)
      expect((await rows.range('intents', {})).map((row) => row.value[0])).toEqual([5, 7])
    })

    it('[U-04] adds a row only where there is none: whoever came second gets what the first one wrote', async () => {
      const rows = make()
      const [one, two] = await Promise.all([
        rows.addIfAbsent('keys', 'a', value(1)),
        rows.addIfAbsent('keys', 'a', value(2)),
      ])
      expect(one).toEqual(two)
      expect(await rows.get('keys', 'a')).toEqual(one)
    })

    it('[U-07] tells an empty database from a filled one', async () => {
      const rows = make()
      expect(await rows.probe()).toBe('empty')
      await rows.write([{ put: 'keys', key: 'meta', value: value(1) }], undefined)
      expect(await rows.probe()).toBe('filled')
    })
  })
}
