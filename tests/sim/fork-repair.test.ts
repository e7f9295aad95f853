import { describe, expect, it } from 'vitest'
import type { SyncRecord } from '#app/ports/records.ts'
import { nextHead } from '#core/channel/chain.ts'
import { RelayError } from '#core/errors.ts'
import { encodeCbor } from '#core/wire/cbor.ts'
import type { Head, PostId } from '#core/wire/ids.ts'
import type { ArgsOf } from '#core/wire/operations.ts'
import { meet, say, type Two, textsOf } from '../support/sim/meet.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { twin } from '../support/sim/twin.ts'

const bytes = <T extends Uint8Array>(length: number, fill: number) => new Uint8Array(length).fill(fill) as T

async function sayAll(two: Two, device: SimDevice, channelId: string, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    await say(device, channelId, text)
    await two.world.run(5_000)
  }
}

/** The relay keeps two histories from here on: first ann's, while bea is away, then bea's; and shows ann's in the end. */
async function forkedRelay(
  two: Two,
  { byAnn, byBea }: { readonly byAnn: readonly string[]; readonly byBea: readonly string[] },
): Promise<void> {
  const { world, ann, bea, ofAnn, ofBea } = two
  const toTheFork = world.relay.copy('CHANNEL')
  bea.goAway()
  await sayAll(two, ann, ofAnn, byAnn)
  await world.run(20_000)
  const toAnns = world.relay.copy('CHANNEL')
  ann.goAway()
  toTheFork()
  bea.comeBack()
  await sayAll(two, bea, ofBea, byBea)
  await world.run(20_000)
  bea.goAway()
  toAnns()
  for (const device of [ann, bea]) device.comeBack()
  await world.run(30_000)
}

const stateOf = (device: SimDevice, channelId: string) => device.store().get('channels', channelId)

describe('[C-06] a relay that kept two histories', () => {
  it('is caught; the channel goes on with the one that is shown, and messages of both sides are there for both', async () => {
    const two = await meet(301)
    const { world, ann, bea, ofAnn, ofBea } = two
    await sayAll(two, ann, ofAnn, ['common 1'])
    await sayAll(two, bea, ofBea, ['common 2'])
    await forkedRelay(two, { byAnn: ['ann 1', 'ann 2', 'ann 3', 'ann 4'], byBea: ['bea 1', 'bea 2'] })
    expect(await stateOf(bea, ofBea)).toMatchObject({ state: 'paused', pausedBy: 'forked' })
    expect((await textsOf(bea, ofBea)).slice(0, 4), 'nothing is lost while it waits').toEqual([
      'common 1',
      'common 2',
      'bea 1',
      'bea 2',
    ])
    expect(await bea.face().keyHealth()).toMatchObject([{ id: ofBea, act: 'repair', problems: [{ what: 'forked' }] }])
    await say(bea, ofBea, 'not sent yet')
    await world.run(60_000)
    expect(await stateOf(bea, ofBea), 'never by itself').toMatchObject({ state: 'paused' })

    await world.until(bea.request('repairChannel', { channelId: ofBea }))
    await world.run(180_000)
    expect(await stateOf(bea, ofBea)).toMatchObject({ state: 'open', repaired: true })
    expect(await stateOf(ann, ofAnn)).toMatchObject({ state: 'open' })
    const all = ['common 1', 'common 2', 'ann 1', 'ann 2', 'ann 3', 'ann 4', 'bea 1', 'bea 2', 'not sent yet']
    const said = async (device: SimDevice, id: string) =>
      (await device.lines(id)).flatMap((line) => (line.kind === 'text' ? [line.text] : []))
    expect(await said(ann, ofAnn)).toEqual(all)
    expect(await said(bea, ofBea)).toEqual(all)
    const notices = (await bea.lines(ofBea)).flatMap((line) => (line.kind === 'notice' ? [line.notice] : []))
    expect(notices).toEqual(['repaired'])
    await sayAll(two, ann, ofAnn, ['on'])
    await sayAll(two, bea, ofBea, ['and on'])
    expect((await said(ann, ofAnn)).slice(-2)).toEqual(['on', 'and on'])
    expect(await said(bea, ofBea)).toEqual(await said(ann, ofAnn))
    expect(await bea.face().keyHealth()).toMatchObject([{ id: ofBea, problems: [] }])
  })

  it('with a longer history on the side that is given up: what stood there is not written over', async () => {
    const two = await meet(302)
    const { world, ann, bea, ofAnn, ofBea } = two
    await sayAll(two, ann, ofAnn, ['common'])
    const byBea = Array.from({ length: 6 }, (_, i) => `bea ${i}`)
    await forkedRelay(two, { byAnn: ['ann 1'], byBea })
    // Ann's history is the shorter one: it is an older copy until it has grown.
    await sayAll(two, ann, ofAnn, ['ann 2', 'ann 3', 'ann 4', 'ann 5', 'ann 6', 'ann 7', 'ann 8'])
    bea.lose()
    await world.run(60_000)
    expect(await stateOf(bea, ofBea)).toMatchObject({ state: 'paused', pausedBy: 'forked' })
    await world.until(bea.request('repairChannel', { channelId: ofBea }))
    await world.run(180_000)
    await sayAll(two, ann, ofAnn, ['on'])
    const [a, b] = [await textsOf(ann, ofAnn), (await bea.lines(ofBea)).filter((line) => line.kind === 'text')]
    expect(b.map((line) => (line.kind === 'text' ? line.text : ''))).toEqual(a)
    expect([...a].sort()).toEqual(
      ['common', 'on', ...byBea, ...Array.from({ length: 8 }, (_, i) => `ann ${i + 1}`)].sort(),
    )
  })

  it('[L-01] the other devices of the account show each message once, and so does one that is new', async () => {
    const two = await meet(303)
    const { world, ann, bea, ofAnn, ofBea } = two
    const phone = await twin(world, bea, 'phone')
    await world.run(60_000)
    await sayAll(two, ann, ofAnn, ['common'])
    phone.goAway()
    await forkedRelay(two, { byAnn: ['ann 1', 'ann 2', 'ann 3', 'ann 4'], byBea: ['bea 1', 'bea 2'] })
    await world.until(bea.request('repairChannel', { channelId: ofBea }))
    await world.run(180_000)
    phone.comeBack()
    await world.run(180_000)
    const tablet = await twin(world, bea, 'tablet')
    await world.run(240_000)
    const all = ['ann 1', 'ann 2', 'ann 3', 'ann 4', 'bea 1', 'bea 2', 'common']
    for (const device of [bea, phone, tablet]) {
      const [id = ''] = await device.channelIds()
      const texts = (await device.lines(id)).flatMap((line) => (line.kind === 'text' ? [line.text] : []))
      expect(texts.sort(), device.name).toEqual(all)
    }
  })
})

describe('[C-06] a message that shows another history', () => {
  it('by a relay that lied to its author: it stops the channel, and both repair it', async () => {
    const two = await meet(304)
    const { world, ann, bea, ofAnn, ofBea } = two
    await lieTo(two)
    await say(bea, ofBea, 'as I saw it')
    await world.run(10_000)
    expect(await stateOf(ann, ofAnn)).toMatchObject({ state: 'paused', pausedBy: 'forked' })
    bea.forge = () => undefined
    await world.until(ann.request('repairChannel', { channelId: ofAnn }))
    await world.run(120_000)
    expect(await stateOf(ann, ofAnn)).toMatchObject({ state: 'open' })
    expect(await stateOf(bea, ofBea)).toMatchObject({ state: 'paused', pausedBy: 'forked' })
    await world.until(bea.request('repairChannel', { channelId: ofBea }))
    await world.run(120_000)
    await sayAll(two, ann, ofAnn, ['on'])
    await sayAll(two, bea, ofBea, ['and on'])
    const said = async (device: SimDevice, id: string) =>
      (await device.lines(id)).flatMap((line) => (line.kind === 'text' ? [line.text] : []))
    expect(await said(ann, ofAnn)).toEqual(['as it was', 'as I saw it', 'on', 'and on'])
    expect(await said(bea, ofBea)).toEqual(['as it was', 'as I saw it', 'on', 'and on'])
  })

  it('by a member that lies, again and again: each time it is repaired, and nothing is lost', async () => {
    const two = await meet(305)
    const { world, ann, ofAnn } = two
    for (let round = 1; round <= 3; round++) {
      await lie(two, `lie ${round}`)
      expect(await stateOf(ann, ofAnn), `round ${round}`).toMatchObject({ state: 'paused', pausedBy: 'forked' })
      await world.until(ann.request('repairChannel', { channelId: ofAnn }))
      await world.run(120_000)
      expect(await stateOf(ann, ofAnn), `round ${round}`).toMatchObject({ state: 'open' })
      await sayAll(two, ann, ofAnn, [`after ${round}`])
    }
    const texts = (await ann.lines(ofAnn)).flatMap((line) => (line.kind === 'text' ? [line.text] : []))
    expect(texts.sort()).toEqual(['after 1', 'after 2', 'after 3', 'lie 1', 'lie 2', 'lie 3'])
  })
})

describe('[C-06] [FRK1] a channel that is paused as forked', () => {
  const forked = { state: 'paused', pausedBy: 'forked' }
  const refused = () => new RelayError('seat/refused', { retryable: false })

  it('takes nothing more, whether it is pushed or fetched, and goes on with it once it is repaired', async () => {
    const two = await meet(306)
    const { world, ann, bea, ofAnn, ofBea } = two
    await lie(two, 'lie')
    const cursorOf = async () => (await ann.store().get('syncs', ofAnn))?.cursor
    const [before, texts] = [await cursorOf(), await textsOf(ann, ofAnn)]
    await sayAll(two, bea, ofBea, ['said live'])
    ann.lose()
    await sayAll(two, bea, ofBea, ['said after'])
    await world.run(20_000)
    expect(await stateOf(ann, ofAnn)).toMatchObject(forked)
    expect([await cursorOf(), await textsOf(ann, ofAnn)]).toEqual([before, texts])
    await world.until(ann.request('repairChannel', { channelId: ofAnn }))
    await world.run(120_000)
    expect((await textsOf(ann, ofAnn)).filter((text) => text.startsWith('said'))).toEqual(['said live', 'said after'])
  })

  it('takes nothing more of the batch in which it shows', async () => {
    const two = await meet(307)
    const { ann, bea, ofAnn, ofBea } = two
    ann.goAway()
    await lie(two, 'lie')
    await sayAll(two, bea, ofBea, ['in the same batch'])
    ann.comeBack()
    await two.world.run(20_000)
    expect(await stateOf(ann, ofAnn)).toMatchObject(forked)
    expect(await textsOf(ann, ofAnn)).not.toContain('in the same batch')
  })

  it('stays so when the relay refuses the seat, and what is written waits', async () => {
    const two = await meet(308)
    const { world, ann, ofAnn } = two
    await lie(two, 'lie')
    ann.forge = (operation) => (operation === 'channel.fetch' ? refused() : undefined)
    await say(ann, ofAnn, 'not sent yet')
    ann.lose()
    await world.run(120_000)
    ann.forge = () => undefined
    ann.lose()
    await world.run(120_000)
    expect(await stateOf(ann, ofAnn)).toMatchObject({ ...forked, lastState: 'waiting' })
  })

  it('stays so when what it holds can’t be read any more', async () => {
    const two = await meet(309)
    const { world, ann, ofAnn } = two
    await lie(two, 'lie')
    ann.kill()
    for (const { key } of await ann.store().list('nodes', { of: ofAnn }))
      await ann.disk.write([{ delete: 'nodes', key }], undefined)
    await world.run(120_000)
    expect(await stateOf(ann, ofAnn)).toMatchObject(forked)
    await world.until(ann.request('repairChannel', { channelId: ofAnn }))
    await world.run(120_000)
    expect(await stateOf(ann, ofAnn)).toMatchObject({ state: 'open', repaired: true })
  })
})

/** Bea is shown another id for what ann says, and the relay itself takes no notice of what bea takes for the chain. */
async function lieTo(two: Two): Promise<void> {
  const { world, ann, bea, ofAnn, ofBea } = two
  const relay = world.relay.connect(() => {})
  bea.goAway()
  await say(ann, ofAnn, 'as it was')
  await world.run(10_000)
  const sync = await ann.store().get('syncs', ofAnn)
  let shown = (await bea.store().get('syncs', ofBea))?.head
  if (sync === undefined || shown === undefined) throw new Error('no channel')
  const known = { position: sync.cursor, head: sync.head }
  const otherwise = async (args: ArgsOf<'channel.fetch'>) => {
    const reply = await relay.call('channel.fetch', args)
    const envelopes = reply.envelopes.map((item) => ({ ...item, id: bytes<PostId>(16, 5) }))
    const head = shown ?? known.head
    shown = envelopes.reduce(nextHead, head)
    return { ...reply, envelopes, from: { ...reply.from, head }, last: { ...reply.last, head: shown } }
  }
  bea.forge = (operation, args) => {
    if (operation === 'channel.fetch') return otherwise(args as ArgsOf<'channel.fetch'>)
    if (operation !== 'channel.post') return undefined
    return relay.call('channel.post', { ...(args as ArgsOf<'channel.post'>), known })
  }
  bea.comeBack()
  await world.run(10_000)
}

/** Bea's next message says that another chain was seen than the one that was; the relay is told the right one. */
async function lie({ world, bea, ofBea }: Two, text: string): Promise<void> {
  await world.run(20_000)
  const relay = world.relay.connect(() => {})
  const putHead = async (head: Head): Promise<SyncRecord> => {
    const sync = await bea.store().get('syncs', ofBea)
    if (sync === undefined) throw new Error('no channel')
    bea.kill()
    const rows = [
      { put: 'syncs', key: ofBea, value: encodeCbor({ ...sync, head }) },
      { put: 'heads', key: [ofBea, sync.cursor], value: encodeCbor({ head }) },
    ] as const
    await bea.disk.write(rows, undefined)
    return sync
  }
  const { head, cursor, commits, lastCommit } = await putHead(bytes(32, 9))
  const known = { position: cursor, head }
  const last = { ...known, head: bytes<Head>(32, 9) }
  bea.forge = (operation, args) => {
    if (operation === 'channel.fetch') return { envelopes: [], from: known, last, commits, lastCommit }
    if (operation !== 'channel.post') return undefined
    return relay.call('channel.post', { ...(args as ArgsOf<'channel.post'>), known })
  }
  await world.run(3_000)
  await say(bea, ofBea, text)
  await world.run(3_000)
  const after = await relay.call('channel.fetch', await seatOf(bea, ofBea, cursor))
  bea.forge = () => undefined
  await putHead(after.last.head)
  await world.run(10_000)
}

async function seatOf(device: SimDevice, id: string, after: number) {
  const sync = await device.store().get('syncs', id)
  if (sync === undefined) throw new Error('no channel')
  const { address, seat, token } = sync
  return { address, seat, token, after }
}
