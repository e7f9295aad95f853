import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Dated, Delta } from '#core/log/delta.ts'
import { contentHash, deltaKey, mergeAll, mergeDeltas } from '#core/log/merge.ts'
import { noteOrder, notesAddress } from '#core/log/notes.ts'
import { nextStamp, stampAt } from '#core/log/stamp.ts'
import type { Token } from '#core/wire/ids.ts'
import { RUNS } from '../../../support/hostile.ts'
import { account, address, bytes, channel, dated, device, line, messageId } from './support.ts'

const at = fc.nat({ max: 6 })
const small = fc.nat({ max: 3 })
const said = <K extends string>(name: K) =>
  fc
    .option(fc.record({ is: fc.boolean(), atMs: small }), { nil: undefined })
    .map((word): { readonly [N in K]?: { is: boolean; atMs: number } } =>
      word === undefined ? {} : ({ [name]: word } as { readonly [N in K]: { is: boolean; atMs: number } }),
    )
const muted = fc
  .option(fc.record({ is: fc.boolean(), atMs: small, untilMs: small }, { requiredKeys: ['is', 'atMs'] }), {
    nil: undefined,
  })
  .map((word) => (word === undefined ? {} : { muted: word }))
const named = fc
  .option(small, { nil: undefined })
  .map((n) => (n === undefined ? {} : { named: { name: 'a/b/c', token: bytes(n) as Token, seed: bytes(n) } }))
const delta: fc.Arbitrary<Delta> = fc.oneof(
  fc
    .tuple(at, small, fc.constantFrom(undefined, 'sent' as const, 'delivered' as const), small, fc.boolean())
    .map(([when, id, state, words, isShared]) =>
      line(when, id, {
        text: `t${words}`,
        ...(state === undefined ? {} : { state }),
        ...(isShared ? { sharedBy: account } : {}),
      }),
    ),
  fc.tuple(at, small).map(([when, id]) => ({ kind: 'forget' as const, at: when, channel, messageId: messageId(id) })),
  fc.tuple(at, small, fc.boolean(), muted, said('archived'), named).map(([when, upTo, left, quiet, away, keys]) => ({
    kind: 'channel' as const,
    at: when,
    address,
    channel: 'group' as const,
    title: `title ${when % 2}`,
    upTo,
    ...(left ? { left, repaired: true } : {}),
    ...quiet,
    ...away,
    ...keys,
  })),
  fc.tuple(at, small, small, said('verified'), said('blocked')).map(([when, sequence, words, word, blocked]) => ({
    kind: 'contact' as const,
    at: when,
    account,
    name: `n${words}`,
    manifest: bytes(sequence),
    sequence,
    ...word,
    ...blocked,
  })),
  fc
    .tuple(at, small, small)
    .map(([when, order, theirs]) => ({ kind: 'read' as const, at: when, channel, order, theirs })),
  fc.tuple(at, small).map(([when, words]) => ({ kind: 'profile' as const, at: when, name: `n${words}` })),
  fc
    .tuple(at, small)
    .map(([when, n]) => ({ kind: 'settings' as const, at: when, values: { theme: 'dark', density: n, sends: n > 1 } })),
  fc.tuple(at, small).map(([when, seenDay]) => ({
    kind: 'device' as const,
    at: when,
    deviceId: device(1),
    name: 'laptop',
    device: 'web' as const,
    seenDay,
  })),
)
const some: fc.Arbitrary<Dated> = fc.record({ by: fc.nat({ max: 2 }).map(device), delta })

const sorted = (merged: Map<string, Dated>) => [...merged].sort(([a], [b]) => (a < b ? -1 : 1))

describe('merging', () => {
  it('[MRG1] [L-01] converges: any order, any grouping, any of them again', () => {
    fc.assert(
      fc.property(
        fc
          .array(some, { maxLength: 14 })
          .chain((list) =>
            fc.tuple(
              fc.constant(list),
              fc.shuffledSubarray(list, { minLength: list.length }),
              fc.nat({ max: 14 }),
              fc.subarray(list),
            ),
          ),
        ([list, shuffled, cut, again]) => {
          const whole = sorted(mergeAll(list))
          expect(sorted(mergeAll(shuffled))).toEqual(whole)
          const halves = [...mergeAll(shuffled.slice(0, cut)).values(), ...mergeAll(shuffled.slice(cut)).values()]
          expect(sorted(mergeAll(halves))).toEqual(whole)
          expect(sorted(mergeAll([...mergeAll(list).values(), ...again]))).toEqual(whole)
        },
      ),
      { ...RUNS, numRuns: 2000 },
    )
  })

  it('[MRG1] converges even on what a device said twice at one moment, having forgotten the first', () => {
    const states = [undefined, 'sent', 'delivered'] as const
    const forgotten = fc.oneof(
      fc
        .tuple(small, fc.constantFrom(...states))
        .map(([words, state]) => line(1, 1, { text: `t${words}`, ...(state === undefined ? {} : { state }) })),
      fc.tuple(small, small, muted, said('archived'), fc.boolean()).map(([title, upTo, quiet, away, mended]) => {
        const words = { ...quiet, ...away, ...(mended ? { repaired: true } : {}) }
        return { kind: 'channel', at: 1, address, channel: 'group', title: `${title}`, upTo, ...words } as const
      }),
      fc.tuple(small, small, said('verified')).map(([words, sequence, word]) => {
        const name = `n${words}`
        return { kind: 'contact', at: 1, account, name, manifest: bytes(sequence), sequence, ...word } as const
      }),
    )
    fc.assert(
      fc.property(fc.tuple(forgotten, forgotten, forgotten), (said) => {
        const [a, b, c] = said.map((one) => dated(1, one)) as [Dated, Dated, Dated]
        const whole = sorted(mergeAll([a, b, c]))
        expect(sorted(mergeAll([c, a, b]))).toEqual(whole)
        expect(sorted(mergeAll([b, ...mergeAll([c, a]).values()]))).toEqual(whole)
        expect(sorted(mergeAll([...mergeAll([b, c]).values(), a]))).toEqual(whole)
      }),
      RUNS,
    )
  })

  it('[SHR8] [MRG2] what the account has itself stands above what was shared with it, however late that comes', () => {
    const [own, told] = [dated(1, line(1, 1)), dated(2, line(99, 1, { text: 'told', sharedBy: account }))]
    for (const merged of [mergeDeltas(own, told), mergeDeltas(told, own)]) expect(merged).toEqual(own)
    const forget = { kind: 'forget', at: 0, channel, messageId: messageId(1) } as const
    expect(mergeDeltas(told, dated(1, forget)).delta).toEqual(forget)
  })

  it('[MRG2] a tombstone wins over every line of its id, earlier or later, and over no other', () => {
    const forget = { kind: 'forget', at: 1, channel, messageId: messageId(1) } as const
    expect(mergeDeltas(dated(1, line(99, 1)), dated(2, forget)).delta).toEqual(forget)
    expect(deltaKey(line(99, 2))).not.toBe(deltaKey(forget))
  })

  it('[MRG2] the newer manifest of a contact wins, whenever it was told', () => {
    const contact = (when: number, sequence: number) =>
      dated(1, { kind: 'contact', at: when, account, name: 'Ann', manifest: bytes(sequence), sequence } as const)
    expect(mergeDeltas(contact(9, 1), contact(2, 2))).toEqual(contact(2, 2))
    expect(mergeDeltas(contact(9, 2), contact(2, 2))).toEqual(contact(9, 2))
  })

  it('[K-11] the later word about a person counts, whichever manifest is newer; of two at once the more careful', () => {
    const contact = (sequence: number, word?: { is: boolean; atMs: number }) =>
      dated(1, {
        ...{ kind: 'contact', at: sequence, account, name: 'Ann', manifest: bytes(sequence), sequence },
        ...(word === undefined ? {} : { verified: word }),
      } as const)
    const yes = { is: true, atMs: 5 }
    const later = { is: false, atMs: 6 }
    const atOnce = { is: false, atMs: 5 }
    expect(mergeDeltas(contact(1, yes), contact(2)).delta).toMatchObject({ sequence: 2, verified: yes })
    expect(mergeDeltas(contact(1, later), contact(2, yes)).delta).toMatchObject({ sequence: 2, verified: later })
    expect(mergeDeltas(contact(1, yes), contact(2, later)).delta).toMatchObject({ sequence: 2, verified: later })
    expect(mergeDeltas(contact(1, atOnce), contact(2, yes)).delta).toMatchObject({ sequence: 2, verified: atOnce })
  })

  it('[MRG3] what was read, applied or delivered never goes back', () => {
    const read = (when: number, order: number) =>
      dated(1, { kind: 'read', at: when, channel, order, theirs: order } as const)
    expect(mergeDeltas(read(2, 1), read(1, 5)).delta).toMatchObject({ at: 2, order: 5, theirs: 5 })
    const sent = dated(1, line(5, 1, { state: 'sent' }))
    const delivered = dated(1, line(3, 1, { state: 'delivered' }))
    expect(mergeDeltas(sent, delivered).delta).toMatchObject({ at: 5, state: 'delivered' })
  })

  it('[L-01] ties go by device, the same everywhere', () => {
    const of = (n: number) => dated(n, { kind: 'profile', at: 5, name: `from ${n}` } as const)
    expect(mergeDeltas(of(1), of(2))).toEqual(mergeDeltas(of(2), of(1)))
  })

  it('[L-01] two deltas that say the same have one hash, whenever they were said', () => {
    expect(contentHash(line(1, 1, { atMs: 3 }))).toEqual(contentHash(line(2, 1, { atMs: 3 })))
    expect(contentHash(line(1, 1))).not.toEqual(contentHash(line(1, 2)))
  })
})

describe('the hybrid clock', () => {
  const nowMs = Date.UTC(2026, 5, 1)

  it('[L-01] goes up whatever the wall clock does, and follows it where it can', () => {
    const first = nextStamp(0, nowMs)
    expect(first).toBe(stampAt(nowMs))
    expect(nextStamp(first, nowMs)).toBe(first + 1)
    expect(nextStamp(first, nowMs - 60_000)).toBe(first + 1)
    expect(nextStamp(first + 1, nowMs + 1)).toBe(first + 4096)
    expect(nextStamp(0, 0)).toBe(1)
    expect(Number.isSafeInteger(stampAt(Date.UTC(2090, 0, 1)))).toBe(true)
  })

  it('[L-02] orders notes by time, the same on every device', () => {
    const order = noteOrder(nowMs, messageId(1))
    expect(noteOrder(nowMs, messageId(1))).toBe(order)
    expect(noteOrder(nowMs, messageId(2))).not.toBe(order)
    expect(Math.floor(order / 4096)).toBe(Math.floor(noteOrder(nowMs, messageId(2)) / 4096))
    expect(noteOrder(nowMs + 1, messageId(3))).toBeGreaterThan(noteOrder(nowMs, messageId(4)))
    expect(notesAddress(account)).toHaveLength(32)
  })
})
