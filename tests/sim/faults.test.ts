import { describe, expect, it } from 'vitest'
import { RelayError, UsageError } from '#core/errors.ts'
import { encodeCbor } from '#core/wire/cbor.ts'
import type { ArgsOf, OperationName } from '#core/wire/operations.ts'
import { invite, meet, say, textsOf } from '../support/sim/meet.ts'
import { watchNonces } from '../support/sim/nonce-checker.ts'
import { FAIR } from '../support/sim/sim-relay.ts'
import { World } from '../support/sim/world.ts'

const busy = new RelayError('relay/busy', { retryable: true })

/** A relay that says this the first `times` that it is asked that. */
function atFirst(operation: OperationName, times: number, answer: object) {
  let left = times
  return (asked: OperationName): object | undefined => (asked === operation && left-- > 0 ? answer : undefined)
}

describe('a relay that refuses or lies', () => {
  it('[T-01] [U-03] a relay that asks for a later version is named; what is written waits and goes out afterwards', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(9)
    const tooOld = new RelayError('session/version', { retryable: false })
    ann.forge = (operation) => (operation === 'session.hello' ? tooOld : undefined)
    ann.lose()
    await world.run(5_000)
    expect(await ann.describe()).toContain('older-client')
    await say(ann, ofAnn, 'for later')
    await world.run(5_000)
    expect(await textsOf(bea, ofBea)).toEqual([])
    ann.forge = () => undefined
    ann.lose()
    await world.run(20_000)
    expect(await textsOf(bea, ofBea)).toEqual(['for later'])
  })

  it('[I-04] [U-04] an acknowledgement that is tried again never puts an old state over a newer one', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(2)
    const nonces = watchNonces(world)
    bea.forge = atFirst('channel.ack', 1, busy)
    let acks = 0
    world.onRequest((device, operation) => {
      if (device !== bea || operation !== 'channel.ack' || ++acks !== 2) return
      world.weather = { ...FAIR, latencyMs: [5_000, 5_000] } // for this request alone
      world.timeline.plan(1, () => {
        world.weather = FAIR
        void say(bea, ofBea, 'meanwhile, bea')
        void say(ann, ofAnn, 'meanwhile, ann')
      })
    })
    await say(ann, ofAnn, 'first')
    await world.run(20_000)
    expect(acks).toBeGreaterThan(1)
    await say(bea, ofBea, 'last')
    await world.run(20_000)
    expect(await textsOf(bea, ofBea)).toEqual(await textsOf(ann, ofAnn))
    expect(await textsOf(ann, ofAnn)).toHaveLength(4)
    expect(await nonces.reused()).toEqual([])
  })

  it('[M-09] what came before something failed is told at once and once, and the rest when it comes', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(10)
    bea.goAway()
    for (const text of ['one', 'two', 'three']) await say(ann, ofAnn, text)
    await world.run(20_000)
    const cursor = (await bea.store().get('syncs', ofBea))?.cursor ?? 0
    const relay = world.relay.connect(() => {})
    const twoOf = async (args: ArgsOf<'channel.fetch'>) => {
      const reply = await relay.call('channel.fetch', args)
      return { ...reply, envelopes: reply.envelopes.slice(0, 2) }
    }
    bea.forge = (operation, args) => {
      if (operation !== 'channel.fetch') return undefined
      const asked = args as ArgsOf<'channel.fetch'>
      return asked.after === cursor ? twoOf(asked) : busy
    }
    const told: string[] = []
    let unread = 0
    bea.notifier = {
      arrived: (channelId) => told.push(channelId),
      unread: (total) => {
        unread = total
      },
    }
    bea.comeBack()
    await world.run(30_000)
    expect([told, unread, await textsOf(bea, ofBea)]).toEqual([[ofBea], 2, ['one', 'two']])
    bea.forge = () => undefined
    await world.run(60_000)
    expect([told, unread, await textsOf(bea, ofBea)]).toEqual([[ofBea, ofBea], 3, ['one', 'two', 'three']])
  })

  it('[M-09] who has no seat any more is told so of what was written, after a new connection too; retry and discard do', async () => {
    const { world, ann, ofAnn } = await meet(3)
    const removed = new RelayError('seat/removed', { retryable: false })
    ann.forge = (operation) => (operation.startsWith('channel.') ? removed : undefined)
    ann.goAway()
    await say(ann, ofAnn, 'into the void')
    await say(ann, ofAnn, 'and gone')
    ann.comeBack()
    await world.run(10_000)
    const failed = await ann.lines(ofAnn)
    expect(failed).toMatchObject([
      { text: 'into the void', state: 'failed', failure: 'seat/removed' },
      { text: 'and gone', state: 'failed', failure: 'seat/removed' },
    ])
    ann.forge = () => undefined
    await ann.face().discard(ofAnn, failed[1]?.id ?? '')
    await ann.face().retry(ofAnn, failed[0]?.id ?? '')
    await world.run(10_000)
    expect(await ann.lines(ofAnn)).toMatchObject([{ text: 'into the void', state: 'delivered' }])
  })

  it('[R-06] that always has something new and never shows it is asked a few times a minute', async () => {
    const { world, ann, ofAnn } = await meet(4)
    let asked = 0
    world.onRequest((device) => {
      if (device === ann) asked++
    })
    for (const lie of ['stale', 'ahead', 'nothing', 'commit', 'mail'] as const) {
      ann.forge = (operation, args) => {
        if (operation === 'channel.commit' && lie === 'commit') {
          return new RelayError('channel/commit-lost', { retryable: false, detail: { position: 99 } })
        }
        if (operation === 'mailbox.fetch' && lie === 'mail') return { items: [], labels: [], more: true }
        if (operation !== 'channel.post') return undefined
        const { posts } = args as ArgsOf<'channel.post'>
        if (lie === 'nothing') return { results: [] }
        if (lie === 'stale') return { results: posts.map(({ id }) => ({ id, outcome: 'stale', position: 1 })) }
        return lie === 'ahead'
          ? { results: posts.map(({ id }) => ({ id, outcome: 'ordered', position: 1_000_000 })) }
          : undefined
      }
      asked = 0
      await say(ann, ofAnn, lie)
      if (lie === 'commit') void ann.request('heal', { channelId: ofAnn })
      ann.lose()
      await world.run(60_000)
      expect(asked, lie).toBeLessThan(60)
    }
  })

  it('[M-09] that names a taken place for a message takes no line away', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(5)
    await say(bea, ofBea, 'by bea')
    await world.run(10_000)
    const place = (await ann.lines(ofAnn))[0]?.order ?? 0
    ann.forge = (operation, args) => {
      if (operation !== 'channel.post') return undefined
      const { posts } = args as ArgsOf<'channel.post'>
      return { results: posts.map(({ id }) => ({ id, outcome: 'ordered', position: place })) }
    }
    await say(ann, ofAnn, 'by ann')
    await world.run(10_000)
    expect(await textsOf(ann, ofAnn)).toEqual(['by bea', 'by ann'])
  })

  it('[M-09] [CHN22] that says of a text that what it names is not whole makes nobody forget it: it arrives once', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(14)
    let lies = 0
    ann.forge = (operation, args) => {
      if (operation !== 'channel.post' || lies++ > 0) return undefined
      const { posts } = args as ArgsOf<'channel.post'>
      return { results: posts.map(({ id }) => ({ id, outcome: 'incomplete', position: 1 })) }
    }
    await say(ann, ofAnn, 'the only copy')
    await world.run(60_000)
    expect(lies).toBeGreaterThan(0)
    expect(await textsOf(bea, ofBea)).toEqual(['the only copy'])
    expect(await ann.lines(ofAnn)).toMatchObject([{ text: 'the only copy', state: 'delivered' }])
  })

  it('[M-09] that has no room for an invitation holds up no conversation, nor does one that is too old', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(6)
    const full = new RelayError('quota/invitations', { retryable: true, detail: { waitMs: 3_600_000 } })
    ann.forge = (operation) => (operation === 'invitation.put' ? full : undefined)
    await expect(world.until(ann.request('createInvitation', null))).rejects.toMatchObject({
      code: 'quota/invitations',
    })
    for (const wait of [0, 8 * 86_400_000]) {
      ann.goAway()
      await world.run(wait)
      await say(bea, ofBea, `after ${wait}`)
      await world.run(10_000)
      ann.comeBack()
      await world.run(10_000)
    }
    expect(await textsOf(ann, ofAnn)).toHaveLength(2)
  })
})

describe('[R-02] [MSG11] a queue that is full', () => {
  /** Bea is away, and Ann writes until nothing more is taken. */
  async function full(seed: number) {
    const two = await meet(seed)
    const { world, ann, bea, ofAnn } = two
    const { REALM } = world.relay.env
    await REALM.get(REALM.idFromName('realm')).change({ queuedEnvelopes: 4 })
    bea.goAway()
    const written = ['one', 'two', 'three', 'four', 'five', 'six']
    for (const text of written) {
      await say(ann, ofAnn, text)
      await world.run(2_000)
    }
    expect(await ann.store().list('outbox')).not.toEqual([])
    return { ...two, written }
  }

  it('is emptied by who was away, though there is no room for what its device has to say', async () => {
    const { world, ann, bea, ofAnn, ofBea, written } = await full(31)
    bea.comeBack()
    await world.run(180_000)
    await say(bea, ofBea, 'by bea')
    await world.run(180_000)
    expect(await textsOf(bea, ofBea)).toEqual([...written, 'by bea'])
    expect(await textsOf(ann, ofAnn)).toEqual([...written, 'by bea'])
  })

  it('is emptied by a device that was closed before it had said that it has everything', async () => {
    const { world, ann, bea, ofAnn, ofBea, written } = await full(32)
    await say(bea, ofBea, 'by bea')
    bea.comeBack()
    let acked = false
    world.onRequest((device, operation) => {
      if (device === bea && operation === 'channel.ack') acked = true
    })
    await world.run(1_000)
    expect((await bea.lines(ofBea)).length).toBeGreaterThan(1)
    expect(acked).toBe(false)
    bea.kill()
    await world.run(180_000)
    expect([...(await textsOf(bea, ofBea))].sort()).toEqual([...written, 'by bea'].sort())
    expect(await textsOf(ann, ofAnn)).toEqual(await textsOf(bea, ofBea))
  })
})

describe('requests that come twice, or at a bad time', () => {
  it('[K-01] two windows that make an identity at once make one, whose certificate its keys fit', async () => {
    const world = await World.make(7)
    const ann = await world.device('ann')
    const bea = await world.device('bea')
    const both = ['one', 'two'].map((name) =>
      world.until(ann.request('createIdentity', { name, deviceName: name, deviceKind: 'web' })),
    )
    await Promise.all(both)
    expect(await ann.store().get('meta', 'account')).toMatchObject({ name: 'one' })
    await world.until(bea.request('createIdentity', { name: 'bea', deviceName: 'laptop', deviceKind: 'web' }))
    const { channelId } = await world.until(bea.request('acceptInvitation', { link: await invite(world, ann) }))
    await say(bea, channelId, 'hello')
    await world.run(30_000)
    const [ofAnn = ''] = await ann.channelIds()
    expect(await textsOf(ann, ofAnn)).toEqual(['hello'])
  })

  it('[C-12] an invitation that is asked for twice at once is taken up once', async () => {
    const { world, ann, bea } = await meet(8)
    const link = await invite(world, ann)
    const asked = [1, 2].map(() => bea.request('acceptInvitation', { link }))
    const [one, two] = await world.until(Promise.all(asked))
    expect(one).toEqual(two)
    await world.run(30_000)
    expect(await bea.channelIds()).toHaveLength(2)
    expect(await ann.channelIds()).toHaveLength(2)
  })

  it('[C-12] an invitation that is not to be trusted is refused once, and holds up nothing after that', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(9)
    const link = await invite(world, ann)
    bea.forge = atFirst('account.get', 1, { manifest: new Uint8Array(40) })
    await expect(world.until(bea.request('acceptInvitation', { link }))).rejects.toMatchObject({
      code: 'invitation/manifest',
    })
    bea.forge = (operation) => (operation === 'account.get' ? { manifest: new Uint8Array(40) } : undefined)
    bea.lose()
    await world.run(5_000)
    expect(await bea.store().list('claims')).toHaveLength(1) // the one that made the conversation
    await say(ann, ofAnn, 'still there?')
    await world.run(10_000)
    expect(await textsOf(bea, ofBea)).toEqual(['still there?'])
  })

  it('[C-12] an invitation is taken back at the relay though this device never heard that it was there', async () => {
    const { world, ann, bea } = await meet(10)
    const link = await invite(world, ann)
    const row = (await ann.store().list('invitations')).find(({ record }) => record.link === link)
    if (row === undefined) throw new UsageError('unreachable')
    const value = encodeCbor({ ...row.record, published: false })
    await ann.disk.write([{ put: 'invitations', key: row.key, value }], undefined)
    await world.until(ann.request('revokeInvitation', { id: String(row.key) }))
    await expect(world.until(bea.request('acceptInvitation', { link }))).rejects.toThrow('invitation/')
  })

  it('[INT8] an invitation that was taken back while away lets nobody in, though the relay had given it out', async () => {
    const { world, ann, bea } = await meet(13)
    const link = await invite(world, ann)
    const id = (await ann.store().list('invitations')).find(({ record }) => record.link === link)?.key
    ann.goAway()
    const { channelId } = await world.until(bea.request('acceptInvitation', { link }))
    await world.run(10_000)
    expect(await bea.store().get('channels', channelId)).toMatchObject({ state: 'open' })
    const revoking = world.until(ann.request('revokeInvitation', { id: String(id) }))
    await expect(revoking).rejects.toMatchObject({ code: 'relay/unreachable' })
    ann.comeBack()
    await world.run(30_000)
    expect(await ann.channelIds()).toHaveLength(1)
  })

  it('[INT9] a group that is introduced as a conversation of two is not shown at all', async () => {
    const { world, ann, bea } = await meet(11)
    const link = await invite(world, ann)
    bea.forge = (operation) => (operation === 'channel.open' ? busy : undefined)
    const accepted = bea.request('acceptInvitation', { link, group: { title: 'Everybody' } })
    const { channelId } = await world.until(accepted)
    await world.run(1_000)
    const channel = await bea.store().get('channels', channelId)
    const value = encodeCbor({ ...channel, kind: 'direct' })
    await bea.disk.write([{ put: 'channels', key: channelId, value }], undefined)
    bea.kill()
    bea.forge = () => undefined
    await world.run(60_000)
    expect(await bea.store().get('channels', channelId)).toMatchObject({ state: 'open' })
    expect(await ann.channelIds()).toHaveLength(1)
  })

  it('[INT5] [M-09] what was written to somebody whose key package has ended is named as not sent', async () => {
    const { world, ann, bea } = await meet(12)
    const link = await invite(world, ann)
    bea.forge = (operation) => (operation === 'channel.open' ? busy : undefined)
    const { channelId } = await world.until(bea.request('acceptInvitation', { link }))
    await say(bea, channelId, 'too late')
    bea.goAway()
    await world.run(9 * 86_400_000)
    bea.forge = () => undefined
    bea.comeBack()
    await world.run(30_000)
    expect(await bea.lines(channelId)).toMatchObject([{ state: 'failed', failure: 'invitation/manifest' }])
  })
})
