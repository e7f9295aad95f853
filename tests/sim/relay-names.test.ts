import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toHex } from '#core/bytes/hex.ts'
import { toUtf8 } from '#core/bytes/utf8.ts'
import { labels } from '#core/crypto/labels.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import type { Token, TokenHash } from '#core/wire/ids.ts'
import { MAX_JOIN_REQUEST_BYTES } from '#core/wire/limits.ts'
import { type Connection, type MemoryRelay, makeMemoryRelay } from '../support/memory-relay.ts'
import { Seeded } from '../support/seeded.ts'

const DAY_MS = 86_400_000
const NAME = 'stave/public/lobby'
const { dice } = new Seeded(91)
let now = 0
let relay: MemoryRelay
let caller: Connection
let token: Token
let joinKey: Uint8Array

const registration = () => ({ tokenHash: hashToken<TokenHash>(labels.nameToken, token), joinKey })
const register = (name = NAME, more = registration()) => caller.call('name.register', { name, ...more })
const request = (bytes = 512) => ({ id: dice(16), request: dice(bytes) })
const ask = (one = request(), name = NAME) => caller.call('name.ask', { name, ...one })
const asked = (by = token) => caller.call('name.asked', { name: NAME, token: by })
const settle = (id: Uint8Array, by = token) => caller.call('name.settle', { name: NAME, token: by, id })
const askRows = () => relay.dump().find(({ table }) => table === 'asks')?.rows ?? []

async function days(count: number): Promise<void> {
  now += count * DAY_MS
  await relay.runAlarms(now)
}

beforeEach(async () => {
  now = Date.UTC(2026, 5, 1, 12)
  relay = makeMemoryRelay({ clock: { now: () => now }, seed: 91 })
  caller = relay.connect(() => {})
  token = dice(32) as Token
  joinKey = dice(32)
  await register()
})
afterEach(() => relay.close())

describe('names of channels', () => {
  it('[NAM2] [C-09] stay with the token that registered them, for good', async () => {
    await register()
    expect((await caller.call('name.find', { name: NAME })).joinKey).toEqual(joinKey)
    const other = { tokenHash: dice(32) as TokenHash, joinKey: dice(32) }
    await expect(register(NAME, other)).rejects.toMatchObject({ code: 'name/exists', retryable: false })
    // Who has read the database knows the hash of the token: it is not enough to change where requests are sealed to.
    await expect(register(NAME, { ...registration(), joinKey: dice(32) })).rejects.toMatchObject({
      code: 'name/exists',
    })
    relay.restart()
    caller = relay.connect(() => {})
    await days(400)
    await expect(register(NAME, other)).rejects.toMatchObject({ code: 'name/exists' })
    expect(await caller.call('name.find', { name: 'stave/public/nowhere' })).toEqual({})
  })

  it('[NAM3] [R-02] requests go at their end also where others come all the time and the shard sleeps in between', async () => {
    const ROUNDS = 20 * 36 // every forty minutes, for twenty days
    for (let round = 0; round < ROUNDS; round++) {
      const one = request()
      await ask(one)
      await settle(one.id)
      await days(1 / 36)
      relay.restart()
      caller = relay.connect(() => {})
    }
    expect(askRows().length).toBeLessThan(18 * 36)
  })

  it('[NAM2] of two who register at the same time one has it', async () => {
    const name = 'stave/public/race'
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map(() => register(name, { tokenHash: dice(32) as TokenHash, joinKey: dice(32) })),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('[NAM1] have three parts and one spelling', async () => {
    const bad = [
      '',
      'a/b',
      'a/b/c/d',
      'A/b/c',
      'a/b/ç',
      'a//c',
      'a/b/c/',
      ' a/b/c',
      'a/-b/c',
      'a/b/c-',
      `a/b/${'c'.repeat(32)}`,
    ]
    for (const name of bad) {
      await expect(register(name), name).rejects.toMatchObject({ code: 'name/form' })
      await expect(ask(request(), name)).rejects.toMatchObject({ code: 'name/form' })
      await expect(caller.call('name.find', { name })).rejects.toMatchObject({ code: 'name/form' })
    }
    await expect(register(`a/b/${'c'.repeat(100)}`)).rejects.toMatchObject({ code: 'schema/text' })
    const longest = ['a', 'b', 'c'].map((letter) => letter.repeat(31)).join('/')
    await register(longest)
  })

  it('[NAM1] [T-06] no row holds a name, nor the token', async () => {
    await ask()
    const cells = relay
      .dump()
      .flatMap(({ rows }) => rows.flat())
      .map((cell) => (cell instanceof Uint8Array ? toHex(cell) : toHex(toUtf8(String(cell)))))
      .join()
    for (const secret of [token, toUtf8(NAME), toUtf8('lobby')]) expect(cells).not.toContain(toHex(secret))
  })
})

describe('requests to join', () => {
  it('[NAM3] wait for whoever has the name’s token, the oldest first, until they are settled', async () => {
    const asks = Array.from({ length: 10 }, () => request())
    for (const one of asks) await ask(one)
    const first = await asked()
    expect([first.requests, first.more]).toEqual([asks.slice(0, 8), true])
    for (const { id } of first.requests) await settle(id)
    expect(await asked()).toEqual({ requests: asks.slice(8), more: false })
    for (const { id } of asks) await settle(id)
    await settle(dice(16))
    expect((await asked()).requests).toEqual([])
  })

  it('[NAM3] sent again are one; other bytes are refused; what was settled does not come back', async () => {
    const one = request()
    await ask(one)
    await ask(one)
    await expect(ask({ ...one, request: dice(512) })).rejects.toMatchObject({ code: 'name/asked' })
    expect((await asked()).requests).toEqual([one])
    await settle(one.id)
    await ask(one)
    expect((await asked()).requests).toEqual([])
  })

  it('[NAM3] [R-02] at most 64 wait for a name; others’ names are not touched by it', async () => {
    const asks = Array.from({ length: 64 }, () => request(256))
    for (const one of asks) await ask(one)
    await expect(ask()).rejects.toMatchObject({ code: 'quota/asks', retryable: true, detail: { waitMs: DAY_MS } })
    await register('stave/public/other')
    await ask(request(), 'stave/public/other')
    await settle(asks[0]?.id ?? dice(16))
    await ask()
  })

  it('[NAM3] [T-05] are gone after a fortnight, read or not; then nothing wakes the shard', async () => {
    const [one, two] = [request(), request()]
    await ask(one)
    await ask(two)
    await settle(two.id)
    await days(14)
    expect((await asked()).requests).toEqual([one])
    await days(1)
    expect(askRows()).toEqual([])
    await days(1)
    expect(relay.nextAlarmMs).toBeUndefined()
    expect((await caller.call('name.find', { name: NAME })).joinKey).toEqual(joinKey)
  })

  it('[T-07] are shown to nobody else, and settled by nobody else', async () => {
    const one = request()
    await ask(one)
    const wrong = dice(32) as Token
    const refused = { code: 'name/refused', retryable: false }
    await expect(asked(wrong)).rejects.toMatchObject(refused)
    await expect(settle(one.id, wrong)).rejects.toMatchObject(refused)
    // The stored hash is no token.
    await expect(asked(new Uint8Array(registration().tokenHash) as Uint8Array as Token)).rejects.toMatchObject(refused)
    expect((await asked()).requests).toEqual([one])
  })

  it('[NAM3] need a name that is there, and a size of a bucket', async () => {
    await expect(ask(request(), 'stave/public/nowhere')).rejects.toMatchObject({ code: 'name/unknown' })
    await expect(ask(request(500))).rejects.toMatchObject({ code: 'name/size' })
    await expect(ask(request(MAX_JOIN_REQUEST_BYTES + 1))).rejects.toMatchObject({ code: 'schema/bytes' })
    const nowhere = caller.call('name.asked', { name: 'stave/public/nowhere', token })
    await expect(nowhere).rejects.toMatchObject({ code: 'name/unknown' })
    expect(askRows()).toEqual([])
  })
})
