import { abortAllDurableObjects, env, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { toBase64url } from '#core/bytes/base64url.ts'
import type { Address, Token } from '#core/wire/ids.ts'
import { LINK_LIFETIME_MS, MAX_LOG_ENTRIES } from '#core/wire/limits.ts'
import { decodeReceived } from '#core/wire/message.ts'
import type { Log } from '../../worker/objects/log.ts'
import type { Rendezvous } from '../../worker/objects/rendezvous.ts'
import { follow, Keeper } from '../support/relay/keeper.ts'
import { Person } from '../support/relay/person.ts'
import { WireClient } from './wire-client.ts'

const bound = env as unknown as {
  LOG: DurableObjectNamespace<Log>
  RENDEZVOUS: DurableObjectNamespace<Rendezvous>
}
let seed = 7_000

async function opened(): Promise<Keeper> {
  const log = await Keeper.make(await WireClient.connect(), seed++)
  await log.open()
  return log
}

function stubOf({ address }: { readonly address: Address }): DurableObjectStub<Log> {
  return bound.LOG.get(bound.LOG.idFromName(toBase64url(address)))
}

describe('log on workerd', () => {
  it('[LOG3] [LOG4] appends, is read again after its object died, and knows a repeated append', async () => {
    const log = await opened()
    const start = log.place
    const entries = log.entries(MAX_LOG_ENTRIES)
    await log.append(entries)
    await abortAllDurableObjects()
    log.caller = await WireClient.connect()
    expect(await log.append(entries, start)).toBe(MAX_LOG_ENTRIES)
    const { entries: rows, last, more } = await log.fetch()
    expect([rows.length, more]).toEqual([MAX_LOG_ENTRIES, false])
    expect(last).toEqual(follow(start, rows))
  })

  it('[LOG2] of two rotations at once one wins, and only its token is good', async () => {
    const log = await opened()
    await log.append(log.entries(2))
    const other = await WireClient.connect()
    const tokens = [log.dice(32) as Token, log.dice(32) as Token]
    const outcomes = await Promise.allSettled(
      tokens.map(async (token, i) => {
        const device = Object.assign(Object.create(log) as Keeper, { caller: i === 0 ? log.caller : other })
        await device.putVault(log.record(2, 2, token))
      }),
    )
    const won = outcomes.findIndex(({ status }) => status === 'fulfilled')
    expect(outcomes[1 - won]).toMatchObject({ reason: { code: 'vault/lost', detail: { number: 2 } } })
    for (const [i, token] of tokens.entries()) {
      const read = log.caller.call('log.fetch', { address: log.address, token, after: 0 })
      if (i === won) expect((await read).entries).toHaveLength(2)
      else await expect(read).rejects.toMatchObject({ code: 'log/refused' })
    }
  })

  it('[LOG5] a page takes the place of what it holds', async () => {
    const log = await opened()
    await log.append(log.entries(20))
    const [entry] = log.entries(1, 16_384)
    if (entry === undefined) throw new Error('no entry')
    await log.caller.call('log.compact', { ...log.key, after: log.place, entry, from: 1, to: 20 })
    await runInDurableObject(stubOf(log), (_, state) => {
      const { load } = state.storage.sql.exec('SELECT load FROM log').one()
      const { real } = state.storage.sql.exec('SELECT sum(length(bytes) + 128) AS real FROM entries').one()
      expect(load).toBe(real)
    })
    expect((await log.back()).entries).toMatchObject([{ position: 21 }])
  })

  it('[LOG7] a watcher that is connected hears of an append, one that a crash kept from it does by the alarm', async () => {
    const log = await opened()
    const ann = await new Person(await WireClient.connect(), seed++).arrive()
    await log.caller.call('log.watch', { ...log.key, drop: ann.drop })
    await log.append()
    const wake = { kind: 'push', name: 'wake', value: { label: ann.label, carried: [] } }
    expect(decodeReceived(await (ann.caller as WireClient).message())).toMatchObject(wake)

    await runInDurableObject(stubOf(log), async (object) => {
      // A mailbox that never answers: the object dies while it waits.
      const deaf = { wake: () => new Promise(() => {}) }
      Object.assign(object, { env: { ...bound, MAILBOX: { idFromName: () => ({}), get: () => deaf } } })
    })
    await abortAllDurableObjects()
    log.caller = await WireClient.connect()
    await log.append(log.entries(), (await log.fetch()).last)
    expect(await runDurableObjectAlarm(stubOf(log))).toBe(true)
    const again = await WireClient.connect()
    expect((await again.call('mailbox.fetch', { ...ann.mailbox, after: 0 })).labels).toEqual([ann.label])
  })
})

describe('rendezvous on workerd', () => {
  it('[LNK1] [LNK13] keeps slots until its alarm, and then nothing', async () => {
    const caller = await WireClient.connect()
    const address = crypto.getRandomValues(new Uint8Array(32)) as Uint8Array as Address
    const bytes = crypto.getRandomValues(new Uint8Array(1_500))
    await caller.call('link.put', { address, slot: 0, bytes })
    const taken = caller.call('link.put', { address, slot: 0, bytes: bytes.slice(1) })
    await expect(taken).rejects.toMatchObject({ code: 'link/taken' })
    expect(await caller.call('link.get', { address, slot: 0 })).toEqual({ bytes })
    const stub = bound.RENDEZVOUS.get(bound.RENDEZVOUS.idFromName(toBase64url(address)))
    await runInDurableObject(stub, (_, state) => {
      state.storage.sql.exec('UPDATE link SET until = until - ?', LINK_LIFETIME_MS)
    })
    expect(await runDurableObjectAlarm(stub)).toBe(true)
    await runInDurableObject(stub, (_, state) => {
      const tables = state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'")
      expect(tables.toArray()).toEqual([])
    })
    expect(await caller.call('link.get', { address, slot: 0 })).toEqual({})
  })
})
