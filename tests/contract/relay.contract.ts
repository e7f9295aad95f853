import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Push, Relay } from '#app/ports/relay.ts'
import { toHex } from '#core/bytes/hex.ts'
import { firstHead, nextHead } from '#core/channel/chain.ts'
import { sha256 } from '#core/crypto/hash.ts'
import { labels } from '#core/crypto/labels.ts'
import { systemDice as dice } from '#core/crypto/random.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import { manifestLeaf, verifyConsistency, verifyHead, verifyInclusion } from '#core/identity/merkle.ts'
import { pad } from '#core/padding/padding.ts'
import { ENVELOPE_OVERHEAD_BYTES, encodeEnvelope } from '#core/wire/envelope.ts'
import type { Address, EntryId, PostId, SeatId, Token, WakeLabel } from '#core/wire/ids.ts'
import { Holder } from '../support/relay/holder.ts'
import { follow, Keeper } from '../support/relay/keeper.ts'

export type RelayUnderTest = { readonly relay: Pick<Relay, 'call'>; readonly pushes: Push[] }

type Ground = { readonly connect: () => Promise<RelayUnderTest>; readonly close: () => Promise<void> }

/** What a relay does for the engine, whether it runs on workerd behind Noise or in this process. */
export function relayContract(name: string, prepare: () => Promise<Ground>): void {
  describe(`relay: ${name}`, () => {
    let ground: Ground
    beforeAll(async () => {
      ground = await prepare()
    }, 60_000)
    afterAll(() => ground.close())

    it('[M-10] [C-03] orders posts and commits, answers a resend alike, and wakes the other seat', async () => {
      const a = await member(ground)
      const b = await member(ground)
      const address = dice(32) as Address
      await a.relay.call('channel.open', { address, seat: a.seat(await a.drop()) })
      const envelope = envelopeFor(address, 40)
      const start = { position: 0, head: firstHead(address) }
      const key = { address, seat: a.seatId, token: a.token }
      const commit = {
        ...key,
        known: start,
        id: dice(16) as PostId,
        after: 0,
        envelope,
        seats: { add: [b.seat(await b.drop())], remove: [] },
        welcomes: [],
      }
      expect(await a.relay.call('channel.commit', commit)).toEqual({ position: 1 })
      expect(await a.relay.call('channel.commit', commit), 'a resend').toEqual({ position: 1 })
      await expect(
        a.relay.call('channel.commit', { ...commit, id: dice(16) as PostId, seats: { add: [], remove: [] } }),
      ).rejects.toMatchObject({ code: 'channel/commit-lost', retryable: false })

      const posts = [1, 2, 3].map(() => ({ id: dice(16) as PostId, commits: 1, envelope: envelopeFor(address, 40) }))
      const sent = await a.relay.call('channel.post', { ...key, known: start, posts })
      expect(sent.results.map((result) => [result.outcome, result.position])).toEqual([
        ['ordered', 2],
        ['ordered', 3],
        ['ordered', 4],
      ])
      expect(await a.relay.call('channel.post', { ...key, known: start, posts })).toEqual(sent)

      const fetched = await b.relay.call('channel.fetch', { address, seat: b.seatId, token: b.token, after: 0 })
      expect(fetched.from.position, 'a joiner starts at its commit').toBe(1)
      expect(fetched.envelopes.map((item) => item.position)).toEqual([2, 3, 4])
      let head = fetched.from.head
      for (const item of fetched.envelopes) head = nextHead(head, item)
      expect(head, 'the chain is the one that members compute').toEqual(fetched.last.head)
      await expect.poll(() => b.pushes.length).toBeGreaterThan(0)
      expect(b.pushes.some((push) => push.name === 'wake' && Buffer.compare(push.value.label, b.label) === 0)).toBe(
        true,
      )
    })

    it('[T-07] refuses a wrong token and an unknown channel with a code, not with silence', async () => {
      const a = await member(ground)
      const address = dice(32) as Address
      const key = { address, seat: a.seatId, token: a.token }
      await expect(a.relay.call('channel.fetch', { ...key, after: 0 })).rejects.toMatchObject({
        code: 'channel/unknown',
      })
      await a.relay.call('channel.open', { address, seat: a.seat(await a.drop()) })
      const wrong = { ...key, token: dice(32) as Token }
      await expect(a.relay.call('channel.fetch', { ...wrong, after: 0 })).rejects.toMatchObject({
        code: 'seat/refused',
      })
    })

    it('[LOG2] [LOG3] [LOG7] keeps a log in one order, wakes who watches it, and ends a generation with its token', async () => {
      const a = await member(ground)
      const b = await member(ground)
      const log = await Keeper.make(a.relay, randomSeed())
      const start = log.place
      expect(await a.relay.call('vault.get', { address: log.address })).toEqual({})
      const vault = log.record()
      await log.open(vault)
      await a.relay.call('log.watch', { ...log.key, drop: await b.drop() })
      const entries = log.entries(3, 480 * 1024)
      for (const entry of entries) await log.append([entry])
      const [last] = entries
      await expect(log.append(last ? [last] : [], start), 'a resend').resolves.toBe(1)
      await expect(log.append(log.entries(), start)).rejects.toMatchObject({
        code: 'log/behind',
        retryable: false,
        detail: { position: 3 },
      })
      await expect.poll(() => b.pushes.length).toBeGreaterThan(0)
      expect(Buffer.from(b.pushes[0]?.name === 'wake' ? b.pushes[0].value.label : [])).toEqual(Buffer.from(b.label))

      const first = await log.fetch()
      expect([first.entries.length, first.more], 'a page stays below a message').toEqual([2, true])
      const rest = await log.fetch(2)
      expect(follow(start, [...first.entries, ...rest.entries])).toEqual(log.place)
      expect((await log.back()).entries.map(({ position }) => position)).toEqual([3, 2])
      const [page] = log.entries(1, 1024)
      if (page === undefined) throw new Error('no entry')
      const compact = { ...log.key, after: log.place, entry: page, from: 1, to: 3 }
      expect(await a.relay.call('log.compact', compact)).toEqual({ position: 4 })
      expect((await log.fetch()).entries).toMatchObject([{ position: 4, before: log.place.head }])
      log.place = follow(log.place, [page])

      const token = dice(32) as Token
      const rotated = log.record(2, 2, token)
      await log.putVault(rotated)
      await log.putVault(rotated)
      await expect(log.putVault(log.record(2, 2, token))).rejects.toMatchObject({
        code: 'vault/lost',
        detail: { number: 2 },
      })
      await expect(log.fetch()).rejects.toMatchObject({ code: 'log/refused' })
      log.token = token
      expect(await log.append()).toBe(5)
      expect((await a.relay.call('vault.get', { address: log.address })).vault).toEqual(rotated)
    })

    it('[LNK1] a link’s slots are written once, and read by who knows the place', async () => {
      const a = await member(ground)
      const b = await member(ground)
      const address = dice(32) as Address
      const bytes = dice(100_000)
      expect(await b.relay.call('link.get', { address, slot: 5 })).toEqual({})
      await a.relay.call('link.put', { address, slot: 5, bytes })
      await a.relay.call('link.put', { address, slot: 5, bytes })
      await expect(b.relay.call('link.put', { address, slot: 5, bytes: dice(4) })).rejects.toMatchObject({
        code: 'link/taken',
        retryable: false,
      })
      expect(Buffer.compare((await b.relay.call('link.get', { address, slot: 5 })).bytes ?? bytes, bytes)).toBe(0)
    })

    it('[CHN15] [CHN16] [CHN17] [CHN18] a device comes back by its account’s entry, and shuts out a lost one', async () => {
      const lost = await member(ground)
      const back = await member(ground)
      const address = dice(32) as Address
      await lost.relay.call('channel.open', { address, seat: lost.seat(await lost.drop()) })
      const { id, token } = lost.entry
      const key = { address, entry: id, token }
      const state = { info: dice(5_000), boxes: [{ entry: id, box: dice(100) }] }
      const first = {
        ...{ address, seat: lost.seatId, token: lost.token, known: { position: 0, head: firstHead(address) } },
        ...{ id: dice(16) as PostId, after: 0, envelope: envelopeFor(address, 40), welcomes: [] },
        ...{ seats: { add: [], remove: [] }, state },
      }
      await lost.relay.call('channel.commit', first)
      const there = await back.relay.call('channel.state', key)
      expect([there.at, there.lastCommit, there.info?.length]).toEqual([1, 1, 5_000])
      const seat = { ...back.seat(await back.drop()), entry: lost.seat(new Uint8Array()).entry }
      const enter = {
        ...{ ...key, id: dice(16) as PostId, after: 1, envelope: envelopeFor(address, 40), state },
        ...{ seats: { add: [seat], remove: [] } },
      }
      expect(await back.relay.call('channel.enter', enter)).toEqual({ position: 2 })
      expect(await back.relay.call('channel.enter', enter), 'a resend').toEqual({ position: 2 })
      await expect(
        back.relay.call('channel.enter', { ...enter, id: dice(16) as PostId, after: 1 }),
      ).rejects.toMatchObject({ code: 'channel/commit-lost', detail: { position: 2 } })
      const next = dice(32) as Token
      await back.relay.call('channel.reentry', { ...key, tokenHash: hashToken(labels.entryToken, next) })
      await expect(back.relay.call('channel.state', key)).rejects.toMatchObject({ code: 'entry/refused' })
      await back.relay.call('channel.expel', { ...key, token: next, seats: [lost.seatId] })
      await expect(
        lost.relay.call('channel.fetch', { address, seat: lost.seatId, token: lost.token, after: 0 }),
      ).rejects.toMatchObject({ code: 'seat/removed' })
    })

    it('[C-07] [CHN23] a seat that was asked leaves a state in pieces, for a device without a seat', async () => {
      const [a, b] = [await member(ground), await member(ground)]
      const address = dice(32) as Address
      await a.relay.call('channel.open', { address, seat: a.seat(await a.drop()) })
      const seatKey = { address, seat: a.seatId, token: a.token }
      const key = { address, entry: a.entry.id, token: a.entry.token }
      await b.relay.call('channel.ask', key)
      const { wanted } = await a.relay.call('channel.fetch', { ...seatKey, after: 0 })
      expect(wanted?.map(toHex)).toEqual([toHex(a.entry.id)])
      await expect.poll(() => a.pushes.some(({ name }) => name === 'wake')).toBe(true)
      const stash = { id: dice(16), pieces: 1 }
      const bytes = dice(5_000)
      await a.relay.call('channel.stash', { ...seatKey, stash, n: 0, bytes })
      const state = { info: new Uint8Array(), boxes: [{ entry: a.entry.id, box: dice(100) }] }
      await a.relay.call('channel.answer', { ...seatKey, after: 0, state, stash })
      const there = await b.relay.call('channel.state', key)
      expect([there.at, there.lastCommit, there.n, there.stash?.pieces]).toEqual([0, 0, 1, 1])
      const piece = await b.relay.call('channel.piece', { ...key, n: 0 })
      expect(Buffer.compare(piece.bytes ?? new Uint8Array(), bytes)).toBe(0)
      await expect(a.relay.call('channel.answer', { ...seatKey, after: 0, state })).rejects.toMatchObject({
        code: 'state/unasked',
      })
    })

    it('[K-07] a mailbox is shut by whoever holds its closer', async () => {
      const { relay } = await member(ground)
      const address = dice(32) as Address
      const [token, closer] = [dice(32) as Token, dice(32) as Token]
      const hashes = {
        tokenHash: hashToken(labels.mailboxToken, token),
        closer: hashToken(labels.mailboxToken, closer),
      }
      await relay.call('mailbox.open', { address, ...hashes })
      await relay.call('mailbox.close', { address, token: closer })
      await expect(relay.call('mailbox.attach', { address, token })).rejects.toMatchObject({
        code: 'mailbox/closed',
        retryable: false,
      })
    })

    it('[PKG2] [PKG3] [PKG4] [MLS10] key packages are given out once, and go with their device', async () => {
      const a = await member(ground)
      const account = await Holder.make(a.relay, randomSeed())
      const [one, two] = [await account.newDevice(), await account.newDevice()]
      await account.list(one, two)
      const packages = account.packagesOf(one, 2)
      await account.publish(packages, one)
      await account.publish(account.packagesOf(two, 1), two)
      await expect(account.publish(packages, two)).rejects.toMatchObject({ code: 'packages/signature' })
      const [first, second, third] = [await account.take(), await account.take(), await account.take()]
      const ofOne = (given: typeof first) =>
        Buffer.from(given.find((each) => isSame(each.device, one.id))?.keyPackage ?? [])
      const left = packages.packages.map(({ keyPackage }) => Buffer.from(keyPackage))
      expect([ofOne(first), ofOne(second)]).toEqual(left)
      expect(ofOne(third)).toEqual(Buffer.from(packages.lastResort.keyPackage))
      await account.publish(packages, one)
      expect(await account.count(one), 'a resend brings nothing back').toEqual({ left: 0, lastResort: true })
      await account.list(two)
      expect((await account.take()).map(({ device }) => isSame(device, two.id))).toEqual([true])
    })

    it('[TRL1] [TRL2] [TRL3] [K-13] logs each manifest once, and proves what it shows', async () => {
      const a = await member(ground)
      const account = await Holder.make(a.relay, randomSeed())
      const head = () => a.relay.call('transparency.head', {})
      const before = await head()
      await account.list()
      await account.list()
      await a.relay.call('account.put', { manifest: account.manifest })
      await expect.poll(async () => (await head()).size).toBe(before.size + 2)
      const { signature, ...shown } = await head()
      const { listKey = new Uint8Array() } = await a.relay.call('session.hello', { version: 1 })
      expect(await verifyHead(shown, signature, listKey)).toBe(true)
      const growth = await a.relay.call('transparency.growth', { from: before.size, to: shown.size })
      expect(verifyConsistency(before, shown, growth.path)).toBe(true)
      const asked = { account: account.account, sequence: 2, size: shown.size }
      const { index = -1, path } = await a.relay.call('transparency.leaf', asked)
      const leaf = manifestLeaf(account.account, 2, sha256(account.manifest))
      expect(verifyInclusion({ ...shown, leaf, index, path })).toBe(true)
      const { leaves } = await a.relay.call('transparency.account', { account: account.account, after: 0 })
      expect(leaves.map(({ sequence }) => sequence)).toEqual([1, 2])
    })

    it('[CHN22] [C-11] a post names a stash that is whole; else it alone is not ordered', async () => {
      const a = await member(ground)
      const address = dice(32) as Address
      await a.relay.call('channel.open', { address, seat: a.seat(await a.drop()) })
      const key = { address, seat: a.seatId, token: a.token }
      const stash = { id: dice(16), pieces: 2 }
      const known = { position: 0, head: firstHead(address) }
      const named = { id: dice(16) as PostId, commits: 0, envelope: envelopeFor(address, 40), stash }
      const plain = { id: dice(16) as PostId, commits: 0, envelope: envelopeFor(address, 40) }
      const post = () => a.relay.call('channel.post', { ...key, known, posts: [named, plain] })
      const outcomes = async () => (await post()).results.map(({ outcome, position }) => [outcome, position])
      await a.relay.call('channel.stash', { ...key, stash, n: 0, bytes: dice(600) })
      expect(await outcomes()).toEqual([
        ['incomplete', 0],
        ['ordered', 1],
      ])
      await a.relay.call('channel.stash', { ...key, stash, n: 1, bytes: dice(600) })
      for (let times = 0; times < 2; times++) {
        expect(await outcomes()).toEqual([
          ['ordered', 2],
          ['ordered', 1],
        ])
      }
    })

    it('[CHN20] [CHN21] [C-04] a commit raises a seat, and names the tree that its newcomers fetch', async () => {
      const [a, b, c] = [await member(ground), await member(ground), await member(ground)]
      const address = dice(32) as Address
      await a.relay.call('channel.open', { address, seat: a.seat(await a.drop()) })
      const key = ({ seatId: seat, token }: typeof a) => ({ address, seat, token })
      const known = { position: 0, head: firstHead(address) }
      const commit = (of: typeof a, after: number, more: object) => ({
        ...{ ...key(of), known, id: dice(16) as PostId, after, envelope: envelopeFor(address, 40), welcomes: [] },
        ...{ seats: { add: [], remove: [] }, ...more },
      })
      const [pieces, id] = [[dice(500_000), dice(300_000)], dice(16)]
      const stash = { id, pieces: pieces.length }
      const add = [{ ...b.seat(await b.drop()), moderator: false }]
      const adding = commit(a, 0, { seats: { add, remove: [] }, stash })
      await expect(a.relay.call('channel.commit', adding)).rejects.toMatchObject({ code: 'stash/incomplete' })
      for (const [n, bytes] of pieces.entries()) await a.relay.call('channel.stash', { ...key(a), stash, n, bytes })
      expect(await a.relay.call('channel.commit', adding)).toEqual({ position: 1 })
      for (const [n, bytes] of pieces.entries()) {
        const piece = await b.relay.call('channel.unstash', { ...key(b), stash: id, n })
        expect(isSame(piece.bytes ?? id, bytes)).toBe(true)
      }
      const more = { seats: { add: [c.seat(await c.drop())], remove: [] } }
      await expect(b.relay.call('channel.commit', commit(b, 1, more))).rejects.toMatchObject({
        code: 'channel/not-moderator',
      })
      const lone = { seats: { add: [], remove: [], moderate: [{ seat: a.seatId, moderator: false }] } }
      await expect(a.relay.call('channel.commit', commit(a, 1, lone))).rejects.toMatchObject({
        code: 'channel/last-moderator',
      })
      const moderate = [
        { seat: a.seatId, moderator: false },
        { seat: b.seatId, moderator: true },
      ]
      await a.relay.call('channel.commit', commit(a, 1, { seats: { add: [], remove: [], moderate } }))
      expect(await b.relay.call('channel.commit', commit(b, 2, more))).toEqual({ position: 3 })
    })

    it('[NAM2] [NAM3] [C-09] a name stays with its token, which alone reads who asks', async () => {
      const a = await member(ground)
      const token = dice(32) as Token
      const name = `stave/contract/${toHex(dice(8))}`
      const registration = { name, tokenHash: hashToken(labels.nameToken, token), joinKey: dice(32) } as const
      await a.relay.call('name.register', registration)
      await a.relay.call('name.register', registration)
      const other = { ...registration, tokenHash: hashToken(labels.nameToken, dice(32)) }
      await expect(a.relay.call('name.register', other)).rejects.toMatchObject({ code: 'name/exists' })
      const one = { id: dice(16), request: dice(1024) }
      await a.relay.call('name.ask', { name, ...one })
      await a.relay.call('name.ask', { name, ...one })
      const wrong = a.relay.call('name.asked', { name, token: dice(32) as Token })
      await expect(wrong).rejects.toMatchObject({ code: 'name/refused' })
      expect((await a.relay.call('name.asked', { name, token })).requests.map(({ id }) => toHex(id))).toEqual([
        toHex(one.id),
      ])
      await a.relay.call('name.settle', { name, token, id: one.id })
      expect((await a.relay.call('name.asked', { name, token })).requests).toEqual([])
    })

    it('takes a megabyte in pieces and gives it back', async () => {
      const a = await member(ground)
      const address = dice(32) as Address
      await a.relay.call('channel.open', { address, seat: a.seat(await a.drop()) })
      const key = { address, seat: a.seatId, token: a.token }
      const envelope = envelopeFor(address, 900_000)
      const post = { id: dice(16) as PostId, commits: 0, envelope }
      await a.relay.call('channel.post', { ...key, known: { position: 0, head: firstHead(address) }, posts: [post] })
      const { envelopes } = await a.relay.call('channel.fetch', { ...key, after: 0 })
      expect(Buffer.compare(envelopes[0]?.envelope ?? new Uint8Array(), envelope)).toBe(0)
    })
  })
}

function randomSeed(): number {
  return dice(4).reduce((seed, byte) => seed * 256 + byte, 0)
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}

function envelopeFor(to: Address, length: number): Uint8Array {
  const body = pad(dice(length), ENVELOPE_OVERHEAD_BYTES)
  return encodeEnvelope({ to, body })
}

/** A device as the relay sees one: a mailbox, and a seat to be given. */
async function member(ground: Ground) {
  const { relay, pushes } = await ground.connect()
  const mailbox = { address: dice(32) as Address, token: dice(32) as Token }
  await relay.call('mailbox.open', {
    address: mailbox.address,
    tokenHash: hashToken(labels.mailboxToken, mailbox.token),
  })
  await relay.call('mailbox.attach', mailbox)
  const seatId = dice(16) as SeatId
  const token = dice(32) as Token
  const label = dice(16) as WakeLabel
  const entry = { id: dice(16) as EntryId, token: dice(32) as Token }
  return {
    relay,
    pushes,
    seatId,
    token,
    label,
    entry,
    mailbox,
    drop: async () => (await relay.call('mailbox.drop', { ...mailbox, label })).drop,
    seat: (drop: Uint8Array) =>
      ({
        id: seatId,
        tokenHash: hashToken(labels.seatToken, token),
        moderator: true,
        drop,
        entry: { id: entry.id, tokenHash: hashToken(labels.entryToken, entry.token) },
      }) as const,
  }
}
