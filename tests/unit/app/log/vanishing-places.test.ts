import { expect, it } from 'vitest'
import { type VanishingPlaces, withoutRows, withPlace, withRow } from '#app/log/vanishing-places.ts'
import { line } from '../../../support/log-device.ts'

const at = (...times: readonly number[]) => times.map((vanishesAtMs, n) => ({ delta: line(n + 1, { vanishesAtMs }) }))

it('[VAN5] rows that hold something that vanishes are noted, whichever way the log is read, until a page stands for them', () => {
  let places: VanishingPlaces = withRow(undefined, 7, at(30, 20))
  places = withRow(places, 8, [{ delta: line(9) }])
  places = withRow(places, 3, at(50))
  expect(places).toEqual([
    { from: 3, to: 3, atMs: 50 },
    { from: 7, to: 7, atMs: 20 },
  ])
  expect(withoutRows(places, { from: 4, to: 7 })).toEqual([{ from: 3, to: 3, atMs: 50 }])
  expect(withoutRows(places, { from: 1, to: 6 })).toEqual([{ from: 7, to: 7, atMs: 20 }])
})

it('[VAN5] [R-06] of very many the first are noted together, and stay until a page stands for all of these', () => {
  let places: VanishingPlaces = []
  for (let position = 1; position <= 1_000; position++) places = withRow(places, position, at(5_000 - position))
  expect(places.length).toBeLessThan(200)
  const [first] = places
  expect(first).toMatchObject({ from: 1, atMs: 5_000 - (first?.to ?? 0) })
  expect(withoutRows(places, { from: 2, to: 1_000 })).toEqual([first])
  expect(withoutRows(places, { from: 1, to: 1_000 })).toEqual([])
})

it('[VAN5] rows that are looked through no later anyway are not noted besides', () => {
  const unread = { from: 1, to: 9, atMs: 40 }
  const places = withPlace(withRow(undefined, 12, at(50)), unread)
  expect(withRow(places, 5, at(60))).toEqual(places)
  expect(withPlace(places, { ...unread, to: 7, atMs: 45 })).toEqual(places)
  expect(withRow(places, 12, at(50))).toEqual(places)
  expect(withRow(places, 5, at(30))).toHaveLength(3)
})
