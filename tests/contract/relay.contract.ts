import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Push, Relay } from '#app/ports/relay.ts'
import { firstHead, nextHead } from '#core/channel/chain.ts'
import { labels } from '#core/crypto/labels.ts'
import { systemDice as dice } from '#core/crypto/random.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import { pad } from '#core/padding/padding.ts'
import { ENVELOPE_OVERHEAD_BYTES, encodeEnvelope } from '#core/wire/envelope.ts'
import type { Address, EntryId, PostId, SeatId, Token, WakeLabel } from '#core/wire/ids.ts'

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
