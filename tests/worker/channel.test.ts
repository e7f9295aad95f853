import { abortAllDurableObjects, env, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { toBase64url } from '#core/bytes/base64url.ts'
import { toHex } from '#core/bytes/hex.ts'
import type { Address } from '#core/wire/ids.ts'
import { decodeReceived } from '#core/wire/message.ts'
import type { Channel } from '../../worker/objects/channel.ts'
import { DEFAULT_SETTINGS } from '../../worker/rules/quota.ts'
import { envelopeTo, NOWHERE, Person } from '../support/relay/person.ts'
import { relayEnv, WireClient } from './wire-client.ts'

const channels = (env as unknown as { CHANNEL: DurableObjectNamespace<Channel> }).CHANNEL
let seed = 500

function newAddress(): Address {
  return crypto.getRandomValues(new Uint8Array(32)) as Uint8Array as Address
}

function stubOf(address: Address): DurableObjectStub<Channel> {
  return channels.get(channels.idFromName(toBase64url(address)))
}

type Connected = Person & { readonly caller: WireClient }

async function person(): Promise<Connected> {
  return (await new Person(await WireClient.connect(), seed++).arrive()) as Connected
}

describe('channel on workerd', () => {
  it('[C-03] two commits at once have one winner, and both hear where it stands', async () => {
    const address = newAddress()
    const ann = await person()
    const bea = await person()
    await ann.open(address)
    await ann.commit(address, { seats: { add: [bea.asSeat(true)], remove: [] } })
    bea.known = (await bea.fetch(address)).from
    const outcomes = await Promise.allSettled([ann.commit(address, { after: 1 }), bea.commit(address, { after: 1 })])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toMatchObject([{ value: 2 }])
    expect(outcomes.filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: { code: 'channel/commit-lost', detail: { position: 2 } } },
    ])
    const { envelopes, lastCommit, commits } = await ann.fetch(address)
    expect([envelopes.length, lastCommit, commits]).toEqual([2, 2, 2])
  })

  it('[M-10] a post comes to the other seat in the wake itself', async () => {
    const address = newAddress()
    const ann = await person()
    const bea = await person()
    await ann.open(address)
    await ann.commit(address, { seats: { add: [bea.asSeat()], remove: [] } })
    const [posted] = await ann.post(address, [ann.id()], 1)
    expect(decodeReceived(await bea.caller.message())).toMatchObject({
      kind: 'push',
      name: 'wake',
      value: { label: bea.label, carried: [{ id: posted?.id, position: 2 }] },
    })
  })

  it('[I-14] an object that died between commit and welcome delivers by its alarm', async () => {
    const address = newAddress()
    const ann = await person()
    const bea = await person()
    await ann.open(address)
    const args = ann.commitArgs(address, { welcomes: [{ drop: bea.drop, envelope: envelopeTo(NOWHERE, 512) }] })
    await runInDurableObject(stubOf(address), async (channel, state) => {
      // A mailbox that never answers: the object dies while it waits.
      const never = { ...relayEnv, MAILBOX: { ...relayEnv.MAILBOX, idFromName: () => ({}), get: () => deaf } }
      Object.assign(channel, { env: never })
      await channel.commit(args, DEFAULT_SETTINGS)
      expect(state.storage.sql.exec('SELECT count(*) AS n FROM welcomes').one().n).toBe(1)
    })
    expect((await bea.mail()).items).toEqual([])
    await abortAllDurableObjects()
    expect(await runDurableObjectAlarm(stubOf(address))).toBe(true)
    const again = (await new Person(await WireClient.connect(), seed++).arrive()) as Connected
    const { items } = await again.caller.call('mailbox.fetch', { ...bea.mailbox, after: 0 })
    expect(items).toMatchObject([{ n: 1 }])
    await runInDurableObject(stubOf(address), (_, state) => {
      expect(state.storage.sql.exec('SELECT count(*) AS n FROM welcomes').one().n).toBe(0)
    })
  })

  it('[T-06] [T-07] what lies in the database is neither a token nor a drop that was given', async () => {
    const address = newAddress()
    const ann = await person()
    await ann.open(address)
    await ann.post(address)
    await runInDurableObject(stubOf(address), (_, state) => {
      const { sql } = state.storage
      const tables = sql.exec(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
      )
      const cells = [...tables].flatMap(({ name }) => [...sql.exec(`SELECT * FROM ${String(name)}`).raw()].flat())
      const stored = cells
        .map((cell) => (cell instanceof ArrayBuffer ? toHex(new Uint8Array(cell)) : String(cell)))
        .join()
      expect(stored).toContain(toHex(ann.seat))
      for (const secret of [ann.token, ann.drop, ann.mailbox.address, ann.label])
        expect(stored).not.toContain(toHex(secret))
    })
  })

  it('acknowledged cursors are on the disk after the alarm, and what all have is gone (T-05)', async () => {
    const address = newAddress()
    const ann = await person()
    await ann.open(address)
    await ann.post(address, [ann.id(), ann.id()])
    await ann.ack(address, 2)
    expect(await runDurableObjectAlarm(stubOf(address))).toBe(true)
    await runInDurableObject(stubOf(address), (_, state) => {
      const { sql } = state.storage
      expect(sql.exec('SELECT cursor FROM seats').one().cursor).toBe(2)
      expect(sql.exec('SELECT count(*) AS n FROM log WHERE envelope IS NOT NULL').one().n).toBe(0)
    })
  })

  it('a thousand posts of sixteen requests at a time keep one order', async () => {
    const address = newAddress()
    const ann = await person()
    await ann.open(address)
    const key = { ...ann.key(address), known: ann.known }
    await runInDurableObject(stubOf(address), async (channel) => {
      for (let round = 0; round < 4; round++) {
        const requests = Array.from({ length: 16 }, () =>
          Array.from({ length: 16 }, () => ({ id: ann.id(), commits: 0, envelope: envelopeTo(address) })),
        )
        const answers = await Promise.all(requests.map((posts) => channel.post({ ...key, posts }, DEFAULT_SETTINGS)))
        const positions = answers.flatMap((answer) =>
          'reply' in answer ? answer.reply.results.map(({ position }) => position) : [],
        )
        expect(positions).toEqual(Array.from({ length: 256 }, (_, i) => round * 256 + i + 1))
      }
    })
  })
})

const deaf = { put: () => new Promise(() => {}), wake: () => new Promise(() => {}) }
