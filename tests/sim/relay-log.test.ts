import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Push } from '#app/ports/relay.ts'
import { toHex } from '#core/bytes/hex.ts'
import { signingKeyFromSeed } from '#core/crypto/sign.ts'
import type { Token } from '#core/wire/ids.ts'
import { MAX_LOG_WATCHERS } from '#core/wire/limits.ts'
import { type Connection, type MemoryRelay, makeMemoryRelay } from '../support/memory-relay.ts'
import { follow, Keeper } from '../support/relay/keeper.ts'
import { Person } from '../support/relay/person.ts'

const DAY_MS = 86_400_000
let now = 0
let seed = 9_000
let relay: MemoryRelay

async function keeper(): Promise<Keeper> {
  return Keeper.make(
    relay.connect(() => {}),
    seed++,
  )
}

async function opened(): Promise<Keeper> {
  const log = await keeper()
  await log.open()
  return log
}

async function wait(ms: number): Promise<void> {
  await relay.idle()
  now += ms
  await relay.runAlarms(now)
  await relay.idle()
}

beforeEach(() => {
  now = Date.UTC(2026, 5, 1, 12)
  relay = makeMemoryRelay({ clock: { now: () => now }, seed: seed++ })
})
afterEach(() => relay.close())

describe('a log', () => {
  it('[LOG1] belongs to who opened it; the same again is answered the same', async () => {
    const log = await keeper()
    const vault = log.record()
    await log.open(vault)
    await log.open(vault)
    const stranger = await signingKeyFromSeed(log.dice(32))
    await expect(log.open(vault, stranger)).rejects.toMatchObject({ code: 'log/exists', retryable: false })
    await expect(log.open(log.record())).rejects.toMatchObject({ code: 'vault/lost', detail: { number: 1 } })
    const there = await log.caller.call('vault.get', { address: log.address })
    expect(there).toMatchObject({ owner: log.owner.publicKey, vault })
  })

  it('[LOG1] is not opened without its owner’s signature, from another number than 1, or in a closed realm', async () => {
    const log = await keeper()
    const vault = log.record()
    const forged = { address: log.address, owner: log.owner.publicKey, vault, signature: log.dice(64) }
    await expect(log.caller.call('log.open', forged)).rejects.toMatchObject({ code: 'vault/signature' })
    await expect(log.open(log.record(2))).rejects.toMatchObject({ code: 'vault/number' })
    expect(relay.dump().filter(({ object }) => object.startsWith('LOG'))).toEqual([])
    expect(await log.caller.call('vault.get', { address: log.address })).toEqual({})
    await expect(log.append()).rejects.toMatchObject({ code: 'log/unknown' })
    await relay.env.REALM.get(relay.env.REALM.idFromName('realm')).change({ signUp: 'closed' })
    now += 60_000 // how long settings are kept
    await expect(log.open(vault)).rejects.toMatchObject({ code: 'realm/closed' })
  })

  it('[LOG3] [LOG4] gives positions by compare and swap, and a chain that devices compute alike', async () => {
    const log = await opened()
    const start = log.place
    const entries = log.entries(3)
    expect(await log.append(entries)).toBe(3)
    const late = log.caller.call('log.append', { ...log.key, after: start, entries: log.entries() })
    await expect(late).rejects.toMatchObject({ code: 'log/behind', detail: { position: 3 } })
    const forked = { ...log.place, head: start.head }
    await expect(log.append(log.entries(), forked)).rejects.toMatchObject({ code: 'log/forked' })
    const all = await log.fetch()
    expect(all.entries.map(({ position }) => position)).toEqual([1, 2, 3])
    expect(all.entries[0]?.before).toEqual(start.head)
    expect(all.entries[2]?.before).toEqual(follow(start, entries.slice(0, 2)).head)
    expect(all.last).toEqual(log.place)
    await expect(log.fetch(4)).rejects.toMatchObject({ code: 'log/behind', detail: { position: 3 } })
  })

  it('[LOG3] an append whose answer was lost is there once', async () => {
    const log = await opened()
    const after = log.place
    const entries = log.entries(2)
    let writes = 0
    relay.crashPlan = () => (++writes === 1 ? 'after' : undefined)
    await expect(log.append(entries)).rejects.toMatchObject({ code: 'relay/unreachable' })
    log.caller = relay.connect(() => {})
    await log.append(entries)
    expect(await log.append(log.entries())).toBe(3)
    expect(await log.append(entries, after), 'after others came').toBe(2)
    const more = log.append([...entries, ...log.entries()], after)
    await expect(more).rejects.toMatchObject({ code: 'log/behind' })
    expect((await log.fetch()).entries).toHaveLength(3)
  })

  it('[T-02] takes entries of bucket sizes only', async () => {
    const log = await opened()
    await expect(log.append(log.entries(1, 300))).rejects.toMatchObject({ code: 'log/size', retryable: false })
    const [entry] = log.entries(1, 257)
    if (entry === undefined) throw new Error('no entry')
    const compact = log.caller.call('log.compact', { ...log.key, after: log.place, entry, from: 1, to: 1 })
    await expect(compact).rejects.toMatchObject({ code: 'log/size' })
  })

  it('[LOG3] an id is given once, and not along with others that are new', async () => {
    const log = await opened()
    const [one, two] = log.entries(2)
    if (one === undefined || two === undefined) throw new Error('no entries')
    const twice = log.append([one, { ...two, id: one.id }], { ...log.place })
    await expect(twice).rejects.toMatchObject({ code: 'log/repeated', retryable: false })
    await log.append([one])
    const mixed = log.append([two, one], { ...log.place })
    await expect(mixed).rejects.toMatchObject({ code: 'log/repeated' })
    expect(await log.append([two])).toBe(2)
  })

  it('[LOG3] of two devices that append at once one hears that it is behind', async () => {
    const log = await opened()
    const outcomes = await Promise.allSettled([
      log.append(log.entries(), { ...log.place }),
      log.append(log.entries(), { ...log.place }),
    ])
    expect(outcomes).toMatchObject([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: { code: 'log/behind', detail: { position: 1 } } },
    ])
  })

  it('[LOG4] is read in pages, from either end', async () => {
    const log = await opened()
    for (let i = 0; i < 3; i++) await log.append(log.entries(50))
    const first = await log.fetch()
    expect([first.entries.length, first.more]).toEqual([64, true])
    const rest = await log.fetch(128)
    expect([rest.entries.map(({ position }) => position).at(-1), rest.entries.length, rest.more]).toEqual([
      150,
      22,
      false,
    ])
    const newest = await log.back()
    expect([newest.entries[0]?.position, newest.entries.at(-1)?.position, newest.more]).toEqual([150, 87, true])
    const oldest = await log.back(3)
    expect(oldest.entries.map(({ position }) => position)).toEqual([2, 1])
    expect(oldest.more).toBe(false)
  })

  it('[LOG4] a page of a reply stays below a megabyte', async () => {
    const log = await opened()
    for (let i = 0; i < 3; i++) await log.append(log.entries(1, 480 * 1024))
    expect((await log.fetch()).entries).toHaveLength(2)
    expect(await log.fetch(2)).toMatchObject({ more: false, entries: [{ position: 3 }] })
  })

  it('[LOG5] one entry takes the place of many, at once or not at all', async () => {
    const log = await opened()
    await log.append(log.entries(10))
    const [entry] = log.entries(1)
    if (entry === undefined) throw new Error('no entry')
    const compact = { ...log.key, after: log.place, entry, from: 2, to: 9 }
    for (const range of [
      { from: 0, to: 9 },
      { from: 9, to: 2 },
      { from: 2, to: 11 },
    ]) {
      const refused = log.caller.call('log.compact', { ...compact, ...range })
      await expect(refused).rejects.toMatchObject({ code: 'log/range' })
    }
    let writes = 0
    relay.crashPlan = () => (++writes === 1 ? 'before' : undefined)
    await expect(log.caller.call('log.compact', compact)).rejects.toMatchObject({ code: 'relay/unreachable' })
    log.caller = relay.connect(() => {})
    expect((await log.fetch()).entries).toHaveLength(10)
    expect(await log.caller.call('log.compact', compact)).toEqual({ position: 11 })
    expect(await log.caller.call('log.compact', compact), 'a lost answer').toEqual({ position: 11 })
    const { entries, last } = await log.fetch()
    expect(entries.map(({ position }) => position)).toEqual([1, 10, 11])
    expect(last).toEqual(follow(log.place, [entry]))
  })

  it('[LOG6] [R-02] a full log refuses with a typed error, writes nothing, and takes more once it is compacted', async () => {
    await relay.env.REALM.get(relay.env.REALM.idFromName('realm')).change({ logBytes: 4_000 })
    const log = await opened()
    await log.append(log.entries(10))
    await expect(log.append(log.entries(1))).rejects.toMatchObject({
      code: 'quota/log',
      retryable: true,
      detail: { waitMs: 60_000 },
    })
    const [entry] = log.entries(1)
    if (entry === undefined) throw new Error('no entry')
    await log.caller.call('log.compact', { ...log.key, after: log.place, entry, from: 1, to: 10 })
    log.place = (await log.fetch()).last
    expect(await log.append(log.entries(9))).toBe(20)
    await expect(log.append(log.entries(1))).rejects.toMatchObject({ code: 'quota/log' })
  })
})

describe('a relay that dies', () => {
  it('[I-16] [LOG2] [LOG3] [LOG5] at any write of a log’s life loses and doubles nothing', async () => {
    for (let at = 1; at <= 12; at++) {
      for (const side of ['before', 'after'] as const) {
        relay.close()
        relay = makeMemoryRelay({ clock: { now: () => now }, seed: seed++ })
        const log = await keeper()
        const start = log.place
        let writes = 0
        relay.crashPlan = () => (++writes === at ? side : undefined)
        const again = async <T>(call: () => Promise<T>): Promise<T> => {
          for (;;) {
            try {
              return await call()
            } catch (error) {
              if ((error as { code?: string }).code !== 'relay/unreachable') throw error
              log.caller = relay.connect(() => {})
            }
          }
        }
        const first = log.record()
        await again(() => log.open(first))
        const entries = log.entries(5)
        for (const entry of entries) {
          const after = log.place
          await again(() => log.append([entry], after))
          log.place = follow(after, [entry])
        }
        const [page, late] = log.entries(2)
        if (page === undefined || late === undefined) throw new Error('no entries')
        const compact = { ...log.key, after: log.place, entry: page, from: 1, to: 5 }
        await again(() => log.caller.call('log.compact', compact))
        log.place = follow(log.place, [page])
        const next = log.dice(32) as Token
        const rotated = log.record(2, 2, next)
        await again(() => log.putVault(rotated))
        log.token = next
        await again(() => log.append([late], follow(start, [...entries, page])))
        const { entries: rows, last } = await again(() => log.fetch())
        expect(rows.map(({ position }) => position)).toEqual([6, 7])
        expect(last).toEqual(follow(start, [...entries, page, late]))
      }
    }
  })
})

describe('a vault', () => {
  it('[LOG2] goes on number by number; of two at once one has lost', async () => {
    const log = await opened()
    const outcomes = await Promise.allSettled([log.putVault(log.record(2)), log.putVault(log.record(2))])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(outcomes.filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: { code: 'vault/lost', detail: { number: 2 } } },
    ])
    const third = log.record(3)
    await log.putVault(third)
    await log.putVault(third)
    await expect(log.putVault(log.record(5))).rejects.toMatchObject({ code: 'vault/lost', detail: { number: 3 } })
    await expect(log.putVault(log.record(3))).rejects.toMatchObject({ code: 'vault/lost' })
  })

  it('[LOG2] takes nothing that its owner did not sign', async () => {
    const log = await opened()
    const stranger = await signingKeyFromSeed(log.dice(32))
    await expect(log.putVault(log.record(2), log.place, stranger)).rejects.toMatchObject({ code: 'vault/signature' })
    expect((await log.caller.call('vault.get', { address: log.address })).vault?.number).toBe(1)
  })

  it('[LOG2] [K-08] with a new generation the old token is dead, and the log’s place was known', async () => {
    const log = await opened()
    await log.append(log.entries(2))
    const old = log.token
    const next = log.dice(32) as Token
    const rotated = log.record(2, 2, next)
    const before = { ...log.place }
    await log.append()
    await expect(log.putVault(rotated, before)).rejects.toMatchObject({ code: 'log/behind', detail: { position: 3 } })
    await log.append(log.entries(), log.place)
    await log.putVault(rotated)
    for (const call of [log.append(), log.fetch(), log.back()]) {
      await expect(call).rejects.toMatchObject({ code: 'log/refused' })
    }
    log.token = next
    expect(await log.append()).toBe(5)
    expect(await log.append(log.entries())).toBe(6)
    log.token = old
    await expect(log.fetch()).rejects.toMatchObject({ code: 'log/refused' })
  })

  it('[LOG2] a generation is never lower, and has one token', async () => {
    const log = await opened()
    const next = log.dice(32) as Token
    await expect(log.putVault(log.record(2, 1, next))).rejects.toMatchObject({ code: 'vault/generation' })
    await log.putVault(log.record(2, 3, next))
    await expect(log.putVault(log.record(3, 2, next))).rejects.toMatchObject({ code: 'vault/generation' })
  })
})

describe('watching', () => {
  async function watched(): Promise<{ log: Keeper; ann: Person; pushes: Push[] }> {
    const log = await opened()
    const pushes: Push[] = []
    const ann = await new Person(
      relay.connect((push) => pushes.push(push)),
      seed++,
    ).arrive()
    await log.caller.call('log.watch', { ...log.key, drop: ann.drop })
    return { log, ann, pushes }
  }

  it('[LOG7] an append wakes who is connected, and leaves a label for who is not', async () => {
    const { log, ann, pushes } = await watched()
    await log.append()
    await relay.idle()
    expect(pushes).toMatchObject([{ name: 'wake', value: { label: ann.label, carried: [] } }])
    expect((await ann.mail()).labels).toEqual([])
    ;(ann.caller as Connection).close()
    await log.append()
    await relay.idle()
    ann.caller = relay.connect(() => {})
    expect((await ann.mail()).labels).toEqual([ann.label])
  })

  it('[LOG7] a watcher hears of what was appended right before a crash', async () => {
    const { log, ann } = await watched()
    let writes = 0
    relay.crashPlan = () => (++writes === 1 ? 'after' : undefined)
    await expect(log.append()).rejects.toMatchObject({ code: 'relay/unreachable' })
    await wait(10_000)
    ann.caller = relay.connect(() => {})
    expect((await ann.mail()).labels).toEqual([ann.label])
  })

  it('[LOG7] what watchers know they are not told again, after a restart either', async () => {
    const { log, ann } = await watched()
    ;(ann.caller as Connection).close()
    await log.append()
    await wait(10_000)
    ann.caller = relay.connect(() => {})
    const { labels } = await ann.mail()
    await ann.caller.call('mailbox.ack', { ...ann.mailbox, upTo: 0, labels })
    relay.restart()
    await wait(DAY_MS)
    ann.caller = relay.connect(() => {})
    expect((await ann.mail()).labels).toEqual([])
  })

  it('[LOG7] is renewed for thirty days, ended by a new generation, and kept to sixty-four', async () => {
    const { log, ann, pushes } = await watched()
    const watchers = () => relay.dump().find(({ table }) => table === 'watchers')?.rows ?? []
    await log.caller.call('log.watch', { ...log.key, drop: ann.drop })
    expect(watchers()).toHaveLength(1)
    for (let day = 0; day < 29; day++) await wait(DAY_MS)
    await log.caller.call('log.watch', { ...log.key, drop: ann.drop })
    for (let day = 0; day < 29; day++) await wait(DAY_MS)
    expect(watchers()).toHaveLength(1)
    for (let day = 0; day < 3; day++) await wait(DAY_MS)
    expect(watchers()).toHaveLength(0)
    expect(relay.nextAlarmMs).toBeUndefined()

    for (let i = 0; i <= MAX_LOG_WATCHERS; i++) {
      const label = log.dice(16) as Person['label']
      const { drop } = await ann.caller.call('mailbox.drop', { ...ann.mailbox, label })
      const watching = log.caller.call('log.watch', { ...log.key, drop })
      if (i < MAX_LOG_WATCHERS) await watching
      else await expect(watching).rejects.toMatchObject({ code: 'quota/watchers', retryable: true })
    }
    const rotated = log.record(2, 2, log.dice(32) as Token)
    expect(pushes).toEqual([])
    await log.putVault(rotated)
    await relay.idle()
    expect(watchers()).toHaveLength(0)
    expect(pushes).toHaveLength(MAX_LOG_WATCHERS)
    const bad = log.caller.call('log.watch', { ...log.key, drop: log.dice(93) })
    await expect(bad).rejects.toMatchObject({ code: 'log/refused' })
  })

  it('[T-06] [T-07] stores neither the token, nor the address, nor a drop that it was given', async () => {
    const { log, ann } = await watched()
    await log.append()
    await relay.idle()
    const cells = relay.dump().flatMap(({ rows }) => rows.flat())
    const stored = cells.map((cell) => (cell instanceof Uint8Array ? toHex(cell) : String(cell))).join()
    expect(stored).toContain(toHex(log.owner.publicKey))
    for (const secret of [log.token, log.address, ann.drop, ann.mailbox.address, ann.label]) {
      expect(stored).not.toContain(toHex(secret))
    }
  })
})
