import { describe, expect, it } from 'vitest'
import { toHex } from '#core/bytes/hex.ts'
import { sha256 } from '#core/crypto/hash.ts'
import { RelayError } from '#core/errors.ts'
import type { ArgsOf } from '#core/wire/operations.ts'
import { meet, say, textsOf } from '../../support/sim/meet.ts'
import { watchNonces } from '../../support/sim/nonce-checker.ts'
import type { World } from '../../support/sim/world.ts'

/** Every ciphertext that left, by the id under which the relay knows it. */
function watchEnvelopes(world: World): Map<string, string[]> {
  const sent = new Map<string, string[]>()
  const note = (id: Uint8Array, envelope: Uint8Array): void => {
    sent.set(toHex(id), [...(sent.get(toHex(id)) ?? []), toHex(sha256(envelope))])
  }
  world.onRequest((_device, operation, args) => {
    if (operation === 'channel.commit') {
      const { id, envelope } = args as ArgsOf<'channel.commit'>
      note(id, envelope)
    }
    if (operation !== 'channel.post') return
    for (const { id, envelope } of (args as ArgsOf<'channel.post'>).posts) note(id, envelope)
  })
  return sent
}

const NONE = new Uint8Array()
const SIDES = ['before', 'after'] as const
const WRITES = 20 // more than any of these acts makes

describe('a crash at each write of a device', () => {
  it('[I-04] that sends: the stored ciphertext goes out again unchanged, and no key is used twice', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(41)
    const nonces = watchNonces(world)
    const sent = watchEnvelopes(world)
    // The first publication of each fails, so that every one of them is sent again.
    const isFirst = (args: unknown) =>
      sent.get(toHex((args as ArgsOf<'channel.post'>).posts[0]?.id ?? NONE))?.length === 1
    const busy = new RelayError('relay/busy', { retryable: true })
    ann.forge = (operation, args) => (operation === 'channel.post' && isFirst(args) ? busy : undefined)
    const written: string[] = []
    let deepest = 0
    for (let at = 1; at <= WRITES && deepest === at - 1; at++) {
      for (const side of SIDES) {
        const before = ann.crashes
        ann.crashAt(at, side)
        written.push(`${at} ${side}`)
        await say(ann, ofAnn, `${at} ${side}`)
        await world.run(20_000)
        if (ann.crashes > before) deepest = at
      }
      ann.crashAt(0, 'before')
    }
    expect(deepest).toBeGreaterThanOrEqual(4) // queued, sealed, settled, its receipt
    expect(await textsOf(bea, ofBea)).toEqual(written)
    expect(await textsOf(ann, ofAnn)).toEqual(written)
    expect([...sent.values()].filter((envelopes) => new Set(envelopes).size > 1)).toEqual([])
    expect([...sent.values()].filter((envelopes) => envelopes.length > 1).length).toBeGreaterThanOrEqual(written.length)
    expect(await nonces.reused()).toEqual([])
  })

  it('[I-04] [C-03] that commits: one commit of an epoch, the same after each crash, and the channel goes on', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(42)
    const nonces = watchNonces(world)
    const sent = watchEnvelopes(world)
    let deepest = 0
    for (let at = 1; at <= WRITES && deepest === at - 1; at++) {
      for (const side of SIDES) {
        const before = ann.crashes
        ann.crashAt(at, side)
        void ann.request('heal', { channelId: ofAnn })
        await world.run(20_000)
        if (ann.crashes > before) deepest = at
      }
      ann.crashAt(0, 'before')
    }
    expect(deepest).toBeGreaterThanOrEqual(3) // wanted, staged, merged
    await say(ann, ofAnn, 'still here')
    await world.run(20_000)
    expect(await textsOf(bea, ofBea)).toEqual(['still here'])
    expect([...sent.values()].filter((envelopes) => new Set(envelopes).size > 1)).toEqual([])
    expect(await nonces.reused()).toEqual([])
  })
})
