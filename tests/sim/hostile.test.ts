import { describe, expect, it } from 'vitest'
import { nextHead } from '#core/channel/chain.ts'
import { RelayError } from '#core/errors.ts'
import { encodeBody } from '#core/message/body.ts'
import { encodeCbor } from '#core/wire/cbor.ts'
import type { MessageId, PostId } from '#core/wire/ids.ts'
import type { ArgsOf } from '#core/wire/operations.ts'
import { envelopeTo } from '../support/relay/person.ts'
import { meet, say, textsOf } from '../support/sim/meet.ts'
import { watchNonces } from '../support/sim/nonce-checker.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'

const bytes = <T extends Uint8Array>(length: number, fill: number) => new Uint8Array(length).fill(fill) as T
const busy = new RelayError('relay/busy', { retryable: true })
const NO_SEATS = { add: [], remove: [] }

async function syncOf(device: SimDevice, channelId: string) {
  const sync = await device.store().get('syncs', channelId)
  if (sync === undefined) throw new Error(`${device.name} has no channel`)
  return sync
}

describe('a member who lies', () => {
  it('[C-04] wins an epoch with rubbish: it is void for all, and who had staged a commit goes on behind it', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(21)
    let left = 1
    ann.forge = (operation) => (operation === 'channel.commit' && left-- > 0 ? busy : undefined)
    await world.until(ann.request('heal', { channelId: ofAnn }))
    await world.run(200)
    expect(await ann.store().get('pendings', ofAnn)).toBeDefined()
    const { address, seat, token, cursor, head, lastCommit } = await syncOf(bea, ofBea)
    const rubbish = { id: bytes<PostId>(16, 1), after: lastCommit, envelope: envelopeTo(address), seats: NO_SEATS }
    const place = { address, seat, token, known: { position: cursor, head } }
    await world.relay.connect(() => {}).call('channel.commit', { ...place, ...rubbish, welcomes: [] })
    await world.run(60_000)
    expect(await ann.store().get('pendings', ofAnn)).toBeUndefined()
    for (const [device, channelId] of [
      [ann, ofAnn],
      [bea, ofBea],
    ] as const) {
      await say(device, channelId, `by ${device.name}`)
      await world.run(5_000)
    }
    expect(await textsOf(ann, ofAnn)).toEqual(['by ann', 'by bea'])
    expect(await textsOf(bea, ofBea)).toEqual(['by ann', 'by bea'])
    expect((await syncOf(ann, ofAnn)).lastCommit).toBe((await syncOf(bea, ofBea)).lastCommit)
  })

  it('[U-03] or sends a message again under another seal: it is shown once', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(22)
    const id = bytes<MessageId>(16, 3)
    const body = encodeBody({ v: 1, id, atMs: 1, kind: 'text', text: 'once' })
    for (const n of [1001, 1002]) {
      const value = encodeCbor({ postId: bytes<PostId>(16, n % 256), body, attempts: 0 })
      await bea.disk.write([{ put: 'outbox', key: [ofBea, n], value }], undefined)
    }
    bea.lose()
    await world.run(10_000)
    expect(await bea.store().list('outbox')).toEqual([])
    expect((await syncOf(ann, ofAnn)).cursor).toBe((await syncOf(bea, ofBea)).cursor)
    expect(await textsOf(ann, ofAnn)).toEqual(['once'])
  })
})

describe('a relay that lies', () => {
  it('[C-06] shows two members two orders: the next message between them stops the channel, and it says so', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(23)
    const relay = world.relay.connect(() => {})
    bea.goAway()
    await say(ann, ofAnn, 'as it was')
    await world.run(10_000)
    const { head, cursor } = await syncOf(ann, ofAnn)
    bea.forge = (operation, args) => {
      if (operation === 'channel.fetch') return otherwise(args as ArgsOf<'channel.fetch'>)
      // What would give it away to an honest relay: the head that bea knows.
      if (operation !== 'channel.post') return undefined
      return relay.call('channel.post', { ...(args as ArgsOf<'channel.post'>), known: { position: cursor, head } })
    }
    let shown = (await syncOf(bea, ofBea)).head
    const otherwise = async (args: ArgsOf<'channel.fetch'>) => {
      const reply = await relay.call('channel.fetch', args)
      const envelopes = reply.envelopes.map((item) => ({ ...item, id: bytes<PostId>(16, 5) }))
      const from = { ...reply.from, head: shown }
      shown = envelopes.reduce(nextHead, shown)
      return { ...reply, envelopes, from, last: { ...reply.last, head: shown } }
    }
    bea.comeBack()
    await world.run(10_000)
    expect(await textsOf(bea, ofBea)).toEqual(['as it was'])
    expect((await bea.store().get('heads', [ofBea, cursor]))?.head).not.toEqual(head)
    await say(bea, ofBea, 'as I saw it')
    await world.run(10_000)
    expect(await ann.store().get('channels', ofAnn)).toMatchObject({ state: 'paused', pausedBy: 'forked' })
    expect(await textsOf(ann, ofAnn), 'her receipt showed it: what follows waits (FRK1)').toEqual(['as it was'])
  })

  it('[C-03] puts something else where a commit was: the device that staged it begins no epoch of its own', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(24)
    const before = await syncOf(ann, ofAnn)
    const from = { position: before.cursor, head: before.head }
    let offered: ArgsOf<'channel.commit'> | undefined
    ann.forge = (operation, args) => {
      if (operation === 'channel.commit') {
        offered = args as ArgsOf<'channel.commit'>
        return { position: from.position + 1 }
      }
      if (operation !== 'channel.fetch' || offered === undefined) return undefined
      const item = {
        position: from.position + 1,
        commits: before.commits,
        commit: true,
        id: offered.id,
        seats: NO_SEATS,
      }
      const envelopes = [{ ...item, envelope: envelopeTo(before.address) }]
      const last = { position: from.position + 1, head: envelopes.reduce(nextHead, from.head) }
      return { envelopes, from, last, commits: before.commits + 1, lastCommit: last.position }
    }
    const epoch = await ann.store().get('epochs', ofAnn)
    await world.until(ann.request('heal', { channelId: ofAnn }))
    await world.run(300)
    expect(offered).toBeDefined()
    expect((await syncOf(ann, ofAnn)).cursor).toBe(from.position + 1)
    expect(await ann.store().get('epochs', ofAnn)).toEqual(epoch)
    expect(await ann.store().get('pendings', ofAnn)).toBeDefined()
    expect((await syncOf(bea, ofBea)).cursor).toBe(from.position)
  })
})

describe('a relay that knows the id of a post which it has not ordered', () => {
  type Post = ArgsOf<'channel.post'>['posts'][number]

  /** Bea has written, and the first time that her device posts it, something comes instead of the answer. */
  async function held(seed: number, instead: (post: Post) => Promise<object | undefined> = async () => undefined) {
    const two = await meet(seed)
    const { world, ann, bea, ofAnn, ofBea } = two
    const nonces = watchNonces(world)
    const relay = world.relay.connect(() => {})
    /** What opens for nobody, in the name of a seat that may post. */
    const order = async (id: PostId, commits: number) => {
      const { address, seat, token, cursor } = await syncOf(ann, ofAnn)
      const { last } = await relay.call('channel.fetch', { address, seat, token, after: cursor })
      const posts = [{ id, commits, envelope: envelopeTo(address) }]
      await relay.call('channel.post', { address, seat, token, known: last, posts })
    }
    let left = 1
    bea.forge = (operation, args) => {
      const [post] = operation === 'channel.post' ? (args as ArgsOf<'channel.post'>).posts : []
      return post === undefined || left-- <= 0
        ? undefined
        : instead(post).then((answer) => answer ?? Promise.reject(busy))
    }
    const settle = async () => {
      await world.run(120_000)
      expect(await nonces.reused()).toEqual([])
      expect(await bea.store().list('outbox')).toEqual([])
      const [a, b] = [await syncOf(ann, ofAnn), await syncOf(bea, ofBea)]
      const standing = { cursor: a.cursor, head: a.head, commits: a.commits, lastCommit: a.lastCommit }
      expect(b).toMatchObject(standing)
      const said = (await bea.lines(ofBea)).filter((line) => line.kind === 'text')
      return { atAnn: await textsOf(ann, ofAnn), atBea: await textsOf(bea, ofBea), said }
    }
    return { ...two, relay, order, settle }
  }

  it('[C-03] [MSG10] gives it to a commit of somebody else: the epoch goes on, and the text is ordered later', async () => {
    const { world, ann, bea, relay, settle, ofAnn, ofBea } = await held(25)
    const { commits } = await syncOf(bea, ofBea)
    let stolen: PostId | undefined
    let isGiven = false
    bea.forge = (operation, args) => {
      const [post] = operation === 'channel.post' ? (args as ArgsOf<'channel.post'>).posts : []
      stolen ??= post?.id
      return post !== undefined && post.id.join() === stolen?.join() ? busy : undefined
    }
    ann.forge = (operation, args) => {
      if (operation !== 'channel.commit' || isGiven || stolen === undefined) return undefined
      isGiven = true
      return relay.call('channel.commit', { ...(args as ArgsOf<'channel.commit'>), id: stolen })
    }
    await say(bea, ofBea, 'mine')
    await world.run(300)
    await world.until(ann.request('heal', { channelId: ofAnn }))
    const { atAnn, atBea, said } = await settle()
    expect((await syncOf(bea, ofBea)).commits).toBeGreaterThan(commits)
    expect(isGiven).toBe(true)
    expect(atAnn).toEqual(['mine'])
    expect(atBea).toEqual(['mine'])
    expect(said).toMatchObject([{ state: 'delivered' }])
  })

  it('[C-06] [MSG10] gives it to rubbish: that is a line which can not be read, and the text is ordered later', async () => {
    const { bea, ofBea, order, settle } = await held(26, async ({ id, commits }) => {
      await order(id, commits)
      return undefined
    })
    await say(bea, ofBea, 'mine')
    const { atAnn, atBea, said } = await settle()
    expect(atAnn).toEqual(['unreadable line', 'mine'])
    expect(atBea).toEqual(['unreadable line', 'mine'])
    expect(said).toMatchObject([{ state: 'delivered' }])
  })

  it('[C-06] [MSG10] says that it is ordered, at a place to come, and puts rubbish there under its id', async () => {
    const { bea, ofBea, order, settle } = await held(27, async ({ id, commits }) => {
      const { cursor } = await syncOf(bea, ofBea)
      await order(bytes<PostId>(16, 8), commits)
      await order(id, commits)
      return { results: [{ id, outcome: 'ordered', position: cursor + 2 }] }
    })
    await say(bea, ofBea, 'mine')
    const { atAnn, atBea } = await settle()
    expect(atAnn).toEqual(['unreadable line', 'unreadable line', 'mine'])
    expect(atBea).toEqual(atAnn)
  })

  it('[M-09] [MSG10] says that it is ordered, at a place that this device has passed: it is not believed', async () => {
    const { bea, ofBea, settle } = await held(28, async ({ id }) => {
      return { results: [{ id, outcome: 'ordered', position: 1 }] }
    })
    await say(bea, ofBea, 'mine')
    const { atAnn, atBea } = await settle()
    expect(atAnn).toEqual(['mine'])
    expect(atBea).toEqual(['mine'])
  })

  it('[U-03] [MSG10] orders it under another id and says nothing: it is known by its bytes, and shown as sent once', async () => {
    const { relay, bea, ofBea, settle } = await held(29, async (post) => {
      const { address, seat, token, cursor, head } = await syncOf(bea, ofBea)
      const posts = [{ ...post, id: bytes<PostId>(16, 9) }]
      await relay.call('channel.post', { address, seat, token, known: { position: cursor, head }, posts })
      return undefined
    })
    await say(bea, ofBea, 'mine')
    const { atAnn, atBea, said } = await settle()
    expect(atAnn).toEqual(['mine'])
    expect(atBea).toEqual(['mine'])
    expect(said).toMatchObject([{ state: 'delivered' }])
  })
})
