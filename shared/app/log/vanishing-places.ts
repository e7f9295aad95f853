import type { Dated } from '#core/log/delta.ts'
import type { Covers } from '#core/log/entry.ts'
import type { VanishingPlace } from '../ports/records.ts'

/** In order. */
export type VanishingPlaces = readonly VanishingPlace[]

/** Of more, the first ones are one. */
const MAX_PLACES = 128

type Told = readonly Pick<Dated, 'delta'>[]

export function vanishesAt(told: Told): number | undefined {
  const times = told.flatMap(({ delta }) => (delta.kind === 'line' ? (delta.vanishesAtMs ?? []) : []))
  return times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b))
}

/** With one more row, whose deltas these are. */
export function withRow(places: VanishingPlaces = [], position: number, told: Told): VanishingPlaces {
  const atMs = vanishesAt(told)
  return atMs === undefined ? places : withPlace(places, { from: position, to: position, atMs })
}

/** Once more, or in one that is looked through no later, it is known already. */
export function withPlace(places: VanishingPlaces = [], place: VanishingPlace): VanishingPlaces {
  if (places.some((one) => one.from <= place.from && one.to >= place.to && one.atMs <= place.atMs)) return places
  const all = [...places, place].sort((a, b) => a.from - b.from)
  const [first, second, ...others] = all
  if (all.length <= MAX_PLACES || first === undefined || second === undefined) return all
  const both = { from: first.from, to: Math.max(first.to, second.to), atMs: Math.min(first.atMs, second.atMs) }
  return [both, ...others]
}

/** A page stands for these rows: what vanishes is not in it, and was appended once more where it had time. */
export function withoutRows(places: VanishingPlaces = [], { from, to }: Pick<Covers, 'from' | 'to'>): VanishingPlaces {
  return places.filter((place) => place.from < from || place.to > to)
}
