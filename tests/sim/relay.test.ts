import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Push } from '#app/ports/relay.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import { toHex } from '#core/bytes/hex.ts'
import { nextHead } from '#core/channel/chain.ts'
import { labels } from '#core/crypto/labels.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import type { Address, InvitationId, Token, TokenHash } from '#core/wire/ids.ts'
import { MAX_CARRIED_BYTES, MAX_ENVELOPE_BYTES, MAX_WELCOMES } from '#core/wire/limits.ts'
import { DEFAULT_SETTINGS, SHARD_INVITATIONS } from '../../worker/rules/quota.ts'
import { type Connection, type MemoryRelay, makeMemoryRelay } from '../support/memory-relay.ts'
import { envelopeTo, NOWHERE, Person } from '../support/relay/person.ts'
import { Seeded } from '../support/seeded.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
let now = 0
let seed = 1
let relay: MemoryRelay
let address: Address

async function person(pushes: Push[] = []): Promise<Person> {
  return new Person(
    relay.connect((push) => pushes.push(push)),
    seed++,
  ).arrive()
}

/** Ann opens the channel, and adds the others in one commit. */
async function channelOf(...others: Person[]): Promise<Person> {
  const ann = await person()
  await ann.open(address)
  if (others.length > 0) await ann.commit(address, { seats: { add: others.map((one) => one.asSeat()), remove: [] } })
  for (const one of others) one.known = (await one.fetch(address)).from
  return ann
}

function away(one: Person): void {
  ;(one.caller as Connection).close()
  one.caller = relay.connect(() => {})
}

/** Counts the welcomes that channels send to mailboxes. */
function countPuts(): { readonly count: number } {
  const puts = { count: 0 }
  const { MAILBOX } = relay.env
  const get: typeof MAILBOX.get = (id) => {
    const mailbox = MAILBOX.get(id)
    const put: typeof mailbox.put = (...args) => {
      puts.count++
      return mailbox.put(...args)
    }
    return new Proxy(mailbox, { get: (of, name) => (name === 'put' ? put : Reflect.get(of, name)) })
  }
  Object.assign(relay.env, { MAILBOX: { ...MAILBOX, get } })
  return puts
}

async function wait(ms: number): Promise<void> {
  await relay.idle()
  now += ms
  await relay.runAlarms(now)
  await relay.idle()
}

/** As `wait`, with every alarm at its own time. */
async function pass(ms: number): Promise<void> {
  const untilMs = now + ms
  for (;;) {
    await relay.idle()
    const nextMs = relay.nextAlarmMs
    if (nextMs === undefined || nextMs > untilMs) break
    now = Math.max(now, nextMs)
    await relay.runAlarms(now)
  }
  now = untilMs
}

beforeEach(() => {
  now = Date.UTC(2026, 5, 1, 12)
  relay = makeMemoryRelay({ clock: { now: () => now }, seed: seed++ })
  address = new Seeded(seed++).dice(32) as Address
})
afterEach(() => relay.close())

describe('channel', () => {
  it('[CHN2] gives positions in one order, and a hash chain that members compute alike', async () => {
    const bea = await person()
    const ann = await channelOf(bea)
    await ann.post(address, [ann.id(), ann.id()], 1)
    await bea.post(address, [bea.id()], 1)
    const all = await ann.fetch(address)
    expect(all.envelopes.map(({ position }) => position)).toEqual([1, 2, 3, 4])
    let { head } = all.from
    for (const item of all.envelopes) head = nextHead(head, item)
    expect(toHex(all.last.head)).toBe(toHex(head))
  })

  it('[CHN5] answers a resend alike, alone, in one request, and after a restart', async () => {
    const ann = await channelOf()
    const id = ann.id()
    const first = await ann.post(address, [id])
    expect(await ann.post(address, [id, id])).toEqual([first[0], first[0]])
    relay.restart()
    ann.caller = relay.connect(() => {})
    expect(await ann.post(address, [id])).toEqual(first)
    expect((await ann.fetch(address)).last.position).toBe(1)
  })

  it('[CHN5] knows an id for 14 days after its envelope is gone', async () => {
    const ann = await channelOf()
    const id = ann.id()
    await ann.post(address, [id])
    await ann.ack(address, 1)
    await wait(10_000)
    expect((await ann.fetch(address)).envelopes).toEqual([])
    await wait(13 * DAY_MS)
    expect(await ann.post(address, [id])).toMatchObject([{ outcome: 'ordered', position: 1 }])
    for (let day = 0; day < 4; day++) await wait(DAY_MS)
    expect(relay.dump().find(({ table }) => table === 'log')?.rows).toEqual([])
    ann.known = (await ann.fetch(address, 1)).last
    expect(await ann.post(address, [ann.id()])).toMatchObject([{ position: 2 }])
  })

  it('[CHN5] knows ids that are in memory, in the index, and more than memory holds', async () => {
    const ann = await channelOf()
    const first = ann.id()
    await ann.post(address, [first])
    for (let i = 0; i < 17; i++) {
      await Promise.all(
        Array.from({ length: 16 }, () =>
          ann.post(
            address,
            Array.from({ length: 64 }, () => ann.id()),
          ),
        ),
      )
    }
    const last = ann.id()
    await ann.post(address, [last])
    expect(await ann.post(address, [last, first])).toMatchObject([{ position: 17 * 16 * 64 + 2 }, { position: 1 }])
    await wait(10_000)
    expect(await ann.post(address, [last, first])).toMatchObject([{ position: 17 * 16 * 64 + 2 }, { position: 1 }])
  })

  it('[CHN6] refuses a post that is more than four commits behind, but knows a resend first', async () => {
    const ann = await channelOf()
    const id = ann.id()
    await ann.post(address, [id])
    let after = 0
    for (let i = 0; i < 5; i++) after = await ann.commit(address, { after })
    expect(await ann.post(address, [id, ann.id()], 0)).toMatchObject([
      { outcome: 'ordered', position: 1 },
      { outcome: 'stale', position: after },
    ])
  })

  it('[CHN4] refuses while it is behind what a client knows, and when the heads differ', async () => {
    const ann = await channelOf()
    await ann.post(address)
    const { last } = await ann.fetch(address)
    ann.known = { position: 9, head: last.head }
    await expect(ann.post(address)).rejects.toMatchObject({ code: 'channel/behind' })
    await expect(ann.commit(address)).rejects.toMatchObject({ code: 'channel/behind' })
    ann.known = { position: 1, head: ann.known.head.map((byte) => byte ^ 1) as typeof last.head }
    await expect(ann.post(address)).rejects.toMatchObject({ code: 'channel/forked' })
    ann.known = last
    await expect(ann.post(address)).resolves.toMatchObject([{ position: 2 }])
  })

  it('[C-03] orders one of two commits; the other hears where the winner stands', async () => {
    const bea = await person()
    const ann = await channelOf(bea)
    const [first, second] = await Promise.allSettled([
      ann.commit(address, { after: 1 }),
      bea.commit(address, { after: 1 }),
    ])
    expect(first).toMatchObject({ status: 'fulfilled', value: 2 })
    expect(second).toMatchObject({ reason: { code: 'channel/commit-lost', detail: { position: 2 } } })
  })

  it('[CHN8] lets only a moderator change other seats, and any seat leave', async () => {
    const bea = await person()
    const cat = await person()
    const ann = await channelOf(bea)
    const add = bea.commit(address, { after: 1, seats: { add: [cat.asSeat()], remove: [] } })
    await expect(add).rejects.toMatchObject({ code: 'channel/not-moderator' })
    const remove = bea.commit(address, { after: 1, seats: { add: [], remove: [ann.seat] } })
    await expect(remove).rejects.toMatchObject({ code: 'channel/not-moderator' })
    await bea.commit(address, { after: 1, seats: { add: [], remove: [bea.seat] } })
    await expect(bea.fetch(address)).rejects.toMatchObject({ code: 'seat/removed' })
    await expect(ann.commit(address, { after: 2, seats: { add: [ann.asSeat()], remove: [] } })).rejects.toMatchObject({
      code: 'channel/seat-taken',
    })
  })

  it('[CHN9] a tombstone can be added again for 14 days, and goes on where it was', async () => {
    const bea = await person()
    const ann = await channelOf(bea)
    await bea.ack(address, 1)
    await ann.commit(address, { after: 1, seats: { add: [], remove: [bea.seat] } })
    await ann.commit(address, { after: 2, seats: { add: [bea.asSeat()], remove: [] } })
    expect((await bea.fetch(address, 1)).envelopes.map(({ position }) => position)).toEqual([2, 3])
  })

  it('[T-07] only the hash of a token opens a seat, and a new token ends the old one', async () => {
    const ann = await channelOf()
    const old = ann.token
    const next = ann.token32()
    const change = { ...ann.key(address), tokenHash: ann.hash(next) }
    await ann.caller.call('channel.retoken', change)
    await ann.caller.call('channel.retoken', change) // its answer was lost
    await expect(ann.post(address)).rejects.toMatchObject({ code: 'seat/refused' })
    ann.token = next
    await ann.post(address)
    ann.token = old
    await expect(ann.fetch(address)).rejects.toMatchObject({ code: 'seat/refused' })
  })

  it('[ENV3] takes only envelopes to itself, of a bucket', async () => {
    const ann = await channelOf()
    const post = (envelope: Uint8Array) =>
      ann.caller.call('channel.post', {
        ...ann.key(address),
        known: ann.known,
        posts: [{ id: ann.id(), commits: 0, envelope }],
      })
    await expect(post(envelopeTo(NOWHERE))).rejects.toMatchObject({ code: 'envelope/address' })
    await expect(post(envelopeTo(address, 300))).rejects.toMatchObject({ code: 'envelope/size' })
    await expect(post(new Uint8Array(256))).rejects.toMatchObject({ code: 'envelope/version' })
  })

  it('[T-05] deletes what everybody has; who missed what was deleted for its age hears of the gap', async () => {
    const bea = await person()
    const ann = await channelOf(bea)
    await ann.post(address, [ann.id()], 1)
    await ann.ack(address, 2)
    await wait(10_000)
    expect((await bea.fetch(address, 1)).envelopes).toHaveLength(1)
    for (let day = 0; day < 32; day++) await wait(DAY_MS)
    await ann.post(address, [ann.id()], 1)
    const missed = await bea.fetch(address, 1)
    expect(missed.from.position).toBe(2)
    let { head } = missed.from
    for (const item of missed.envelopes) head = nextHead(head, item)
    expect(head).toEqual(missed.last.head)
  })

  it('[R-02] a full queue refuses with a typed error, writes nothing, and takes more once it is read', async () => {
    const realm = relay.env.REALM.get(relay.env.REALM.idFromName('realm'))
    await realm.change({ queuedEnvelopes: 2 })
    const ann = await channelOf()
    await expect(ann.post(address, [ann.id(), ann.id(), ann.id()])).rejects.toMatchObject({
      code: 'quota/channel',
      retryable: true,
    })
    await ann.post(address, [ann.id(), ann.id()])
    await expect(ann.commit(address)).rejects.toMatchObject({ code: 'quota/channel' })
    await ann.ack(address, 2)
    await wait(10_000)
    await expect(ann.post(address)).resolves.toMatchObject([{ position: 3 }])
  })

  it('tells an address that nobody opened, and keeps no row for it', async () => {
    const ann = await person()
    await expect(ann.post(address)).rejects.toMatchObject({ code: 'channel/unknown' })
    expect(relay.dump().filter(({ object }) => object.startsWith('CHANNEL'))).toEqual([])
  })
})

describe('wakes and welcomes', () => {
  it('[DRP4] carries small envelopes to whoever is connected, never to their author', async () => {
    const toBea: Push[] = []
    const bea = await person(toBea)
    const ann = await channelOf(bea)
    await ann.post(address, [ann.id()], 1)
    await bea.post(address, [bea.id()], 1)
    await relay.idle()
    expect(toBea).toMatchObject([{ name: 'wake', value: { carried: [{ position: 2 }] } }])
    expect(relay.dump().find(({ table }) => table === 'labels')?.rows).toEqual([])
  })

  it('carries nothing above 8 KiB, and what piles up meanwhile in one wake', async () => {
    const toBea: Push[] = []
    const bea = await person(toBea)
    const ann = await channelOf(bea)
    await ann.post(address, [ann.id()], 1, 2 * MAX_CARRIED_BYTES)
    await relay.idle()
    expect(toBea).toMatchObject([{ value: { carried: [] } }])
  })

  it('[DRP4] leaves one label for who is away, and wakes no more until it fetched', async () => {
    const bea = await person()
    const ann = await channelOf(bea)
    away(bea)
    for (let i = 0; i < 3; i++) await ann.post(address, [ann.id()], 1)
    await relay.idle()
    const toBea: Push[] = []
    bea.caller = relay.connect((push) => toBea.push(push))
    await bea.caller.call('mailbox.attach', bea.mailbox)
    expect((await bea.mail()).labels).toEqual([bea.label])
    await bea.caller.call('mailbox.ack', { ...bea.mailbox, upTo: 0, labels: [bea.label] })
    expect((await bea.mail()).labels).toEqual([])
    expect((await bea.fetch(address, 1)).envelopes).toHaveLength(3)
    await ann.post(address, [ann.id()], 1)
    await relay.idle()
    expect(toBea).toHaveLength(1)
  })

  it('[DRP5] stores the label of a seat that was told live and did not take its news', async () => {
    const bea = await person()
    const ann = await channelOf(bea)
    await ann.post(address, [ann.id()], 1)
    await wait(10_000)
    await wait(10_000)
    expect((await bea.mail()).labels).toEqual([bea.label])
    await bea.ack(address, 2)
    await ann.ack(address, 2)
    await wait(10_000)
    await wait(10_000)
    expect(relay.nextAlarmMs).toBeGreaterThan(now + 60_000)
  })

  it('[DRP5] [M-11] a seat that is there and does not acknowledge is told again after longer and longer, for as long as it is behind', async () => {
    const toBea: Push[] = []
    const bea = await person(toBea)
    const ann = await channelOf(bea)
    const toldIn = async (ms: number): Promise<number> => {
      const before = toBea.length
      await pass(ms)
      return toBea.length - before
    }
    await ann.post(address, [ann.id()], 1)
    await ann.ack(address, 2)
    expect(await toldIn(30_000), 'at once, and with a label').toBeGreaterThanOrEqual(2)
    expect(await toldIn(HOUR_MS)).toBeLessThan(10)
    expect(await toldIn(DAY_MS), 'once an hour, it is still behind').toBeGreaterThanOrEqual(23)
    await bea.fetch(address, 1) // to look is not to have
    expect(await toldIn(DAY_MS)).toBeLessThan(30)

    relay.restart()
    ann.caller = relay.connect(() => {})
    bea.caller = relay.connect((push) => toBea.push(push))
    await bea.caller.call('mailbox.attach', bea.mailbox)
    expect(await toldIn(DAY_MS), 'an object that slept goes on').toBeLessThan(30)

    await ann.post(address, [ann.id()], 1)
    expect(await toldIn(70_000), 'something new').toBeGreaterThanOrEqual(3)
    await pass(HOUR_MS)
    await bea.ack(address, 2)
    expect(await toldIn(70_000), 'it takes some, and not all').toBeGreaterThanOrEqual(3)
    await bea.ack(address, 3)
    await ann.ack(address, 3)
    expect(await toldIn(DAY_MS)).toBe(0)
  })

  it('[DRP5] tells everybody of what was ordered right before a crash', async () => {
    const bea = await person()
    const ann = await channelOf(bea)
    await relay.idle()
    const posted = ann.post(address, [ann.id()], 1)
    await posted
    relay.restart()
    const toBea: Push[] = []
    bea.caller = relay.connect((push) => toBea.push(push))
    await bea.caller.call('mailbox.attach', bea.mailbox)
    await wait(10_000)
    expect(toBea).toMatchObject([{ name: 'wake', value: { label: bea.label } }])
  })

  it('[I-14] delivers a welcome once the commit is stored, after a crash between the two as well', async () => {
    const bea = await person()
    const ann = await channelOf()
    const welcomes = [{ drop: bea.drop, envelope: envelopeTo(NOWHERE, 512) }]
    const args = ann.commitArgs(address, { welcomes })
    let writes = 0
    relay.crashPlan = () => (++writes === 1 ? 'after' : undefined)
    await expect(ann.caller.call('channel.commit', args)).rejects.toMatchObject({ code: 'relay/unreachable' })
    const welcomesOf = () => relay.dump().find(({ table }) => table === 'welcomes')?.rows
    expect(welcomesOf()).toHaveLength(1)
    ann.caller = relay.connect(() => {})
    bea.caller = relay.connect(() => {})
    expect((await bea.mail()).items).toEqual([])
    expect((await ann.caller.call('channel.commit', args)).position).toBe(1)
    await wait(2_000)
    expect((await bea.mail()).items).toMatchObject([{ n: 1 }])
    expect(welcomesOf()).toEqual([])
  })

  it('[I-14] a crash before the commit is stored leaves nothing of it', async () => {
    const bea = await person()
    const ann = await channelOf()
    relay.crashPlan = () => 'before'
    const welcomes = [{ drop: bea.drop, envelope: envelopeTo(NOWHERE) }]
    await expect(ann.commit(address, { welcomes })).rejects.toMatchObject({ code: 'relay/unreachable' })
    relay.crashPlan = () => undefined
    ann.caller = relay.connect(() => {})
    await wait(60_000)
    expect((await ann.fetch(address)).last.position).toBe(0)
    bea.caller = relay.connect(() => {})
    expect((await bea.mail()).items).toEqual([])
  })

  it('[I-16] a crash at any write of a whole exchange loses and doubles nothing', async () => {
    for (let at = 1; at <= 30; at++) {
      for (const side of ['before', 'after'] as const) {
        relay.close()
        relay = makeMemoryRelay({ clock: { now: () => now }, seed: seed++ })
        const bea = await person()
        const ann = await channelOf()
        away(bea)
        let writes = 0
        relay.crashPlan = () => (++writes === at ? side : undefined)
        const again = async <T>(call: () => Promise<T>): Promise<T> => {
          for (;;) {
            try {
              return await call()
            } catch (error) {
              if ((error as { code?: string }).code !== 'relay/unreachable') throw error
              for (const one of [ann, bea]) one.caller = relay.connect(() => {})
            }
          }
        }
        const add = ann.commitArgs(address, {
          seats: { add: [bea.asSeat()], remove: [] },
          welcomes: [{ drop: bea.drop, envelope: envelopeTo(NOWHERE) }],
        })
        await again(() => ann.caller.call('channel.commit', add))
        const ids = [ann.id(), ann.id(), ann.id()]
        for (const id of ids) await again(() => ann.post(address, [id], 1))
        await wait(2_000)
        await wait(10_000)
        const mail = await again(() => bea.mail())
        expect(mail.items).toHaveLength(1)
        expect(mail.labels).toHaveLength(1)
        const { envelopes } = await again(() => bea.fetch(address))
        expect(envelopes.map(({ id }) => id)).toEqual(ids)
        await again(() => bea.ack(address, 4))
      }
    }
  })

  it('[DRP8] [R-02] what waits for a full mailbox is limited, and a commit sends its own welcomes alone', async () => {
    const bea = await person()
    const ann = await channelOf()
    const puts = countPuts()
    let after = 0
    const welcome = async (count: number, bytes = 256) => {
      const welcomes = Array.from({ length: count }, () => ({ drop: bea.drop, envelope: envelopeTo(NOWHERE, bytes) }))
      after = await ann.commit(address, { after, welcomes })
      await ann.ack(address, after)
      await relay.idle()
    }
    await welcome(MAX_WELCOMES)
    await welcome(MAX_WELCOMES)
    const before = puts.count
    await welcome(1)
    expect(puts.count - before).toBe(1)
    await wait(2_000)
    await wait(60_000)
    expect(puts.count - before, 'none is sent to a mailbox that has no room').toBe(1)
    const refused = { code: 'quota/channel', retryable: true }
    await expect(welcome(MAX_WELCOMES)).rejects.toMatchObject(refused)
    await ann.post(address, [ann.id()], 3)
    after = await ann.commit(address, { after }) // one that brings none

    const { items } = await bea.mail()
    await bea.caller.call('mailbox.ack', { ...bea.mailbox, upTo: items.at(-1)?.n ?? 0, labels: [] })
    await wait(60_000)
    expect(puts.count - before, 'as many as there is room for').toBe(1 + items.length)
    await bea.caller.call('mailbox.close', bea.mailbox)
    await wait(60_000)
    await welcome(MAX_WELCOMES)
    expect(relay.dump().find(({ table }) => table === 'welcomes')?.rows).toEqual([])
  })

  it('[DRP8] [R-02] large welcomes that wait are limited by their bytes', async () => {
    const bea = await person()
    const ann = await channelOf()
    const welcomesOf = (count: number, bytes: number) =>
      Array.from({ length: count }, () => ({ drop: bea.drop, envelope: envelopeTo(NOWHERE, bytes) }))
    let after = await ann.commit(address, { welcomes: welcomesOf(256, 256) })
    await relay.idle()
    const large = (count: number) => {
      const channel = relay.env.CHANNEL.get(relay.env.CHANNEL.idFromName(toBase64url(address)))
      const welcomes = welcomesOf(count, MAX_ENVELOPE_BYTES)
      return channel.commit(ann.commitArgs(address, { after, welcomes }), DEFAULT_SETTINGS)
    }
    expect(await large(64), 'more than one request holds').toMatchObject({ reply: { position: 2 } })
    after = 2
    expect(await large(1)).toMatchObject({ refusal: { code: 'quota/channel', retryable: true } })
    relay.restart()
    expect(await large(1), 'a restart forgets nothing').toMatchObject({ refusal: { code: 'quota/channel' } })
  })

  it('[T-06] stores neither the tokens nor the drops that it was given, and no two drops alike', async () => {
    const bea = await person()
    const ann = await channelOf(bea)
    const second = new Seeded(seed++).dice(32) as Address
    await ann.open(second)
    await ann.commit(second, {
      seats: { add: [bea.asSeat()], remove: [] },
      welcomes: [{ drop: bea.drop, envelope: envelopeTo(NOWHERE) }],
    })
    const cells = relay.dump().flatMap(({ rows }) => rows.flat())
    const stored = cells.map((cell) => (cell instanceof Uint8Array ? toHex(cell) : String(cell))).join()
    for (const secret of [ann.token, bea.token, bea.mailbox.token, bea.drop, ann.drop, bea.mailbox.address]) {
      expect(stored).not.toContain(toHex(secret))
    }
    const drops = relay
      .dump()
      .filter(({ table }) => table === 'seats')
      .flatMap(({ rows }) => rows.map((row) => toHex(row[3] as Uint8Array)))
    expect(drops).toHaveLength(4)
    expect(new Set(drops).size).toBe(4)
  })
})

describe('invitations', () => {
  it('[C-12] [R-02] those that were revoked are counted as long as they are remembered', async () => {
    const { dice } = new Seeded(seed++)
    const token = dice(32) as Token
    const tokenHash = hashToken<TokenHash>(labels.invitationToken, token)
    const blob = dice(512)
    const make = async () => {
      const shard = relay.env.DIRECTORY.get(relay.env.DIRECTORY.idFromName('invitations/0'))
      const id = dice(16) as InvitationId
      const answer = await shard.put({ id, blob, expiresAtMs: now + DAY_MS, tokenHash })
      if ('reply' in answer) await shard.revoke({ id, token })
      return answer
    }
    for (let i = 0; i < SHARD_INVITATIONS; i++) expect(await make()).toEqual({ reply: {} })
    const refused = { refusal: { code: 'quota/invitations', retryable: true } }
    expect(await make()).toMatchObject(refused)
    relay.restart()
    expect(await make(), 'a restart forgets nothing').toMatchObject(refused)
    await wait(DAY_MS)
    expect(await make(), 'the end of them is not yet that of their memory').toMatchObject(refused)
    await wait(31 * DAY_MS)
    expect(await make()).toEqual({ reply: {} })
  })
})
