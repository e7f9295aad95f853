import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { labels } from '#core/crypto/labels.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import { RelayError, WireError } from '#core/errors.ts'
import type { Address, TokenHash } from '#core/wire/ids.ts'
import type { ArgsOf, OperationName } from '#core/wire/operations.ts'
import { type MemoryRelay, makeMemoryRelay, type Table } from '../support/memory-relay.ts'
import { Holder } from '../support/relay/holder.ts'
import { Keeper } from '../support/relay/keeper.ts'
import { envelopeTo, Person } from '../support/relay/person.ts'
import { Seeded } from '../support/seeded.ts'

const ROUNDS = 1_600
const now = Date.UTC(2026, 5, 1, 12)
const NUMBERS = [0, 1, 2, 3, 7, 64, 2 ** 31, 2 ** 32 - 1, 2 ** 53 - 1]
let relay: MemoryRelay

beforeEach(() => {
  relay = makeMemoryRelay({ clock: { now: () => now }, seed: 31 })
})
afterEach(() => relay.close())

/** Whoever speaks the protocol may send anything that parses. */
describe('requests without rights', () => {
  it('[I-10] [R-06] get a typed refusal and change nothing, whatever they hold', async () => {
    const { dice } = new Seeded(32)
    const pick = <T>(all: readonly T[]): T => all[(dice(1)[0] ?? 0) % all.length] as T
    const address = dice(32) as Address
    const ann = await new Person(
      relay.connect(() => {}),
      33,
    ).arrive()
    await ann.open(address)
    const state = { info: dice(100), boxes: [{ entry: ann.entry.id, box: dice(60) }] }
    await ann.commit(address, { state })
    const log = await Keeper.make(
      relay.connect(() => {}),
      34,
    )
    await log.open()
    await log.append(log.entries(3))
    const holder = await Holder.make(log.caller, 36)
    const device = await holder.newDevice()
    await holder.list(device)
    await holder.publish(holder.packagesOf(device, 2), device)
    const name = 'stave/hostile/lobby'
    const tokenHash = hashToken<TokenHash>(labels.nameToken, dice(32))
    await log.caller.call('name.register', { name, tokenHash, joinKey: dice(32) })
    await log.caller.call('name.ask', { name, id: ann.seat, request: dice(256) })
    const stash = { id: ann.seat, pieces: 2 }
    await ann.caller.call('channel.stash', { ...ann.key(address), stash, n: 0, bytes: dice(100) })
    await relay.idle()
    const stranger = relay.connect(() => {})
    const before = withoutLinks(relay.dump())

    const bytes = (fixed: number, known: readonly Uint8Array[]) =>
      pick([...known.filter(({ length }) => length === fixed), dice(fixed), new Uint8Array(fixed)])
    const b32 = <T>() =>
      bytes(32, [address, log.address, log.owner.publicKey, ann.hash(ann.token), holder.account]) as T
    const b16 = <T>() => bytes(16, [ann.seat, ann.entry.id, device.id]) as T
    const number = () => pick(NUMBERS)
    const some = () => dice(pick([0, 1, 93, 255, 256, 4_096]))
    const times = <T>(make: () => T): T[] => Array.from({ length: pick([0, 1, 2, 5]) }, make)
    const place = () => ({ position: number(), head: b32<ArgsOf<'vault.put'>['head']['head']>() })
    const token = { token: dice(32) as typeof ann.token }
    const vault = () => ({ number: number() % 2 ** 32, generation: number() % 2 ** 32, tokenHash: b32(), body: some() })
    const seats = () => ({
      add: times(() => ({ ...ann.asSeat(pick([true, false])), id: b16(), entry: { id: b16(), tokenHash: b32() } })),
      remove: times(() => b16()),
      moderate: times(() => ({ seat: b16(), moderator: pick([true, false]) })),
    })
    const published = () => ({ keyPackage: some(), drop: pick([device.drop, some().slice(0, 256)]) })
    const entries = () => times(() => ({ id: b16(), bytes: some() }))
    const args: { readonly [O in OperationName]?: () => unknown } = {
      'log.open': () => ({ address: b32(), owner: b32(), vault: vault(), signature: dice(64) }),
      'log.append': () => ({ address: b32(), ...token, after: place(), entries: entries() }),
      'log.fetch': () => ({ address: b32(), ...token, after: number() }),
      'log.back': () => ({ address: b32(), ...token, before: number() }),
      'log.watch': () => ({ address: b32(), ...token, drop: some().slice(0, 256) }),
      'log.compact': () => ({
        ...{ address: b32(), ...token, after: place(), from: number(), to: number() },
        entry: { id: b16(), bytes: some() },
      }),
      'vault.put': () => ({ address: b32(), vault: vault(), signature: dice(64), head: place() }),
      'link.put': () => ({ address: b32(), slot: number() % 8, bytes: some() }),
      'link.get': () => ({ address: b32(), slot: number() % 8 }),
      'channel.state': () => ({ address: b32(), entry: b16(), ...token }),
      'channel.reentry': () => ({ address: b32(), entry: b16(), ...token, tokenHash: b32() }),
      'channel.expel': () => ({ address: b32(), entry: b16(), ...token, seats: times(() => b16()) }),
      'channel.enter': () => ({
        ...{ address: b32(), entry: b16(), ...token, id: b16(), after: number(), seats: seats() },
        ...{
          envelope: envelopeTo(b32()),
          state: { info: some(), boxes: times(() => ({ entry: b16(), box: some().slice(0, 256) })) },
        },
      }),
      'channel.commit': () => ({
        ...{ address: b32(), seat: b16(), ...token, known: place(), id: b16(), after: number(), seats: seats() },
        ...{ envelope: envelopeTo(pick([address, b32<Address>()])), welcomes: [], stash: { id: b16(), pieces: 2 } },
      }),
      'channel.stash': () => ({
        ...{ address: b32(), seat: b16(), ...token, stash: { id: b16(), pieces: number() % 65 } },
        ...{ n: number() % 64, bytes: some() },
      }),
      'channel.unstash': () => ({ address: b32(), seat: b16(), ...token, stash: b16(), n: number() % 64 }),
      'packages.put': () => ({
        ...{ account: b32(), device: b16(), packages: times(published), lastResort: published() },
        signature: dice(64),
      }),
      'packages.count': () => ({ account: b32(), device: b16() }),
      'transparency.head': () => ({}),
      'transparency.leaf': () => ({ account: b32(), sequence: number() % 2 ** 32, size: number() }),
      'transparency.growth': () => ({ from: number(), to: number() }),
      'transparency.account': () => ({ account: b32(), after: number() }),
      'name.register': () => ({ name: pick([name, 'no name']), tokenHash: b32(), joinKey: b32() }),
      'name.find': () => ({ name: pick([name, 'stave/hostile/none', '']) }),
      'name.ask': () => ({ name: pick([name, 'stave/hostile/none']), id: ann.seat, request: some() }),
      'name.asked': () => ({ name: pick([name, 'stave/hostile/none']), ...token }),
      'name.settle': () => ({ name, ...token, id: ann.seat }),
      'mailbox.close': () => ({ address: pick([ann.mailbox.address, dice(32)]), ...token }),
    }
    const codes = new Set<string>()
    for (let round = 0; round < ROUNDS; round++) {
      const op = pick(Object.keys(args)) as OperationName
      try {
        await stranger.call(op, args[op]?.() as ArgsOf<typeof op>)
      } catch (error) {
        expect(error instanceof RelayError || error instanceof WireError, String(error)).toBe(true)
        codes.add((error as RelayError).code)
      }
    }
    expect(codes).not.toContain('relay/failed')
    for (const code of [
      'log/refused',
      'log/unknown',
      'vault/signature',
      'entry/refused',
      'mailbox/refused',
      'link/taken',
      'seat/refused',
      'packages/signature',
      'packages/device',
      'transparency/size',
      'name/exists',
      'name/form',
      'name/asked',
      'name/refused',
    ])
      expect(codes).toContain(code)
    expect(withoutLinks(relay.dump())).toEqual(before)
  })

  it('[I-10] [R-06] numbers out of any range get a typed refusal from who has the token, too', async () => {
    const log = await Keeper.make(
      relay.connect(() => {}),
      35,
    )
    await log.open()
    await log.append(log.entries(3))
    const [entry] = log.entries(1)
    if (entry === undefined) throw new Error('no entry')
    for (const a of NUMBERS) {
      const { entries } = await log.back(a)
      expect(entries.length).toBeLessThanOrEqual(3)
      if (a > 3) await expect(log.fetch(a)).rejects.toMatchObject({ code: 'log/behind' })
      for (const b of NUMBERS.filter((to) => to > 3)) {
        const call = log.caller.call('log.compact', { ...log.key, after: log.place, entry, from: a, to: b })
        await expect(call).rejects.toMatchObject({ code: 'log/range' })
      }
      if (a !== 3) {
        const call = log.append(log.entries(), { ...log.place, position: a })
        await expect(call).rejects.toMatchObject({ code: 'log/behind' })
      }
    }
    expect(await log.append([])).toBe(3)
    expect((await log.fetch()).entries).toHaveLength(3)
  })
})

/** Anybody may leave something at a meeting place that nobody uses; a shard's empty tables are nobody's. */
function withoutLinks(tables: readonly Table[]): Table[] {
  return tables.filter(({ object, rows }) => rows.length > 0 && !object.startsWith('RENDEZVOUS'))
}
