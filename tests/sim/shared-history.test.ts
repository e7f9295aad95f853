import { describe, expect, it } from 'vitest'
import { fromBase64url, toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { RelayError } from '#core/errors.ts'
import type { ArgsOf, OperationName } from '#core/wire/operations.ts'
import { Seeded } from '../support/seeded.ts'
import { groupIdOf } from '../support/sim/many-devices.ts'
import { invite, say, textsOf } from '../support/sim/meet.ts'
import { identity, personId, personIds } from '../support/sim/people.ts'
import { accountIdOf, idOf, lie, lineOf, newcomer, sharedAt, shareRows, stashed } from '../support/sim/share.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { FAIR } from '../support/sim/sim-relay.ts'
import { twin } from '../support/sim/twin.ts'
import type { World } from '../support/sim/world.ts'

const BEFORE = ['one', 'two', 'three', 'four']
const SHARED = BEFORE.map((text) => `${text} (ann)`)

async function noticesOf(device: SimDevice): Promise<string[]> {
  const lines = await device.lines(await groupIdOf(device))
  return lines.flatMap((line) =>
    line.kind === 'group' && line.notice === 'shared'
      ? [`${line.by} ${line.me ? 'me' : line.names.join()} ${line.value}`]
      : [],
  )
}

describe('earlier messages', () => {
  it('[C-11] [SHR1] [SHR3] [SHR8] reach a newcomer only when a member shares them: in their places, with authors, marked; all hear of it', async () => {
    const { world, ann, bea, cid, channelId } = await newcomer(4101, BEFORE)
    const ofCid = await groupIdOf(cid)
    expect(
      (await textsOf(cid, ofCid)).filter((text) => text !== 'notice line'),
      'off by default',
    ).toEqual([])
    const page = await ann.face().channelDetails(channelId)
    expect(page.members.filter(({ canShareTo }) => canShareTo).map(({ name }) => name)).toEqual(['cid'])
    const personIdOfCid = await personId(cid)
    expect(await ann.face().earlierHistory(channelId, personIdOfCid)).toEqual({ week: 4, month: 4, all: 4 })

    await world.until(ann.face().shareHistory(channelId, personIdOfCid, 0))
    await world.run(20_000)
    expect(await sharedAt(cid)).toEqual(SHARED)
    const lines = (await cid.lines(ofCid)).filter((line) => line.kind === 'text')
    expect(lines.map(({ author }) => [author.id, author.mine])).toEqual([
      [await personId(ann), false],
      [await personId(bea), false],
      [await personId(ann), false],
      [await personId(bea), false],
    ])
    expect(await noticesOf(ann)).toEqual([' cid 4'])
    expect(await noticesOf(bea), 'the others hear that, not what').toHaveLength(1)
    expect(await noticesOf(cid)).toEqual(['ann me 4'])
    expect(
      (await cid.face().channels()).find(({ id }) => id === ofCid),
      'nothing of it is unread',
    ).toMatchObject({
      unread: 0,
      lastText: '',
    })
    for (const device of [ann, cid]) expect(await device.face().work()).toEqual([])
    // They go on as before.
    await say(cid, ofCid, 'thanks')
    await world.run(5_000)
    expect((await textsOf(bea, await groupIdOf(bea))).at(-1)).toBe('thanks')
  })

  it('[SHR2] are what the person chose, and what this account has itself: not what is of blocked people, nor what was shared with it', async () => {
    const { world, ann, bea, cid, channelId } = await newcomer(4102, BEFORE)
    await world.until(ann.request('setBlocked', { id: await personId(bea), blocked: true }))
    expect(await ann.face().earlierHistory(channelId, await personId(cid))).toEqual({ week: 2, month: 2, all: 2 })
    await world.run(10 * 86_400_000)
    expect(await ann.face().earlierHistory(channelId, await personId(cid))).toEqual({ week: 0, month: 2, all: 2 })
    const weekAgo = world.timeline.nowMs - 7 * 86_400_000
    const none = ann.face().shareHistory(channelId, await personId(cid), weekAgo)
    await expect(world.until(none)).rejects.toThrow('history/nothing')
    await world.until(ann.face().shareHistory(channelId, await personId(cid), 0))
    await world.run(20_000)
    expect(await sharedAt(cid)).toEqual(['one (ann)', 'three (ann)'])

    const dan = await anotherOne(world, 'dan', ann, channelId)
    const ofCid = await groupIdOf(cid)
    await expect(cid.face().earlierHistory(ofCid, await personId(dan))).resolves.toEqual({ week: 0, month: 0, all: 0 })
  })

  it('[SHR4] can be shared with nobody who was there first, who is not there, or of whom there is no key', async () => {
    const { world, ann, bea, cid, channelId } = await newcomer(4103, BEFORE)
    const share = async (by: SimDevice, id: string, to: SimDevice): Promise<void> =>
      world.until(by.face().shareHistory(id, await personId(to), 0))
    await expect(share(ann, channelId, bea)).rejects.toThrow('history/nothing')
    await expect(share(ann, channelId, ann)).rejects.toThrow('history/member')
    await expect(share(cid, await groupIdOf(cid), ann)).rejects.toThrow(/history\/(member|nothing)/)
    await world.until(ann.request('removeMember', { channelId, id: await personId(cid) }))
    await world.run(30_000)
    await expect(share(ann, channelId, cid)).rejects.toThrow('history/member')
  })

  it('[SHR4] are not shared when the newcomer has left meanwhile: the person hears so, and nothing is said in the channel', async () => {
    const { world, ann, cid, channelId } = await newcomer(4104, BEFORE)
    ann.goAway()
    await world.until(ann.face().shareHistory(channelId, await personId(cid), 0))
    await world.until(cid.request('leaveChannel', { channelId: await groupIdOf(cid) }))
    await world.run(20_000)
    expect(await ann.face().work()).toMatchObject([{ kind: 'share', state: expect.stringMatching('running|waiting') }])
    // Whether it hears of the leaving before it has packed, or after.
    ann.comeBack()
    await world.run(60_000)
    const rows = await shareRows(ann)
    if (rows.length > 0) {
      expect(rows).toEqual(['out history/left'])
      expect(await ann.face().work()).toMatchObject([{ state: 'failed', problem: 'history/left' }])
      await ann.face().cancelWork('share')
    }
    expect(await ann.face().work()).toEqual([])
  })

  it('[SHR4] wait for a key of the newcomer, go out one at a time, and can be stopped before they were told of', async () => {
    const { world, ann, cid, channelId } = await newcomer(4109, BEFORE)
    const share = async (): Promise<void> => world.until(ann.face().shareHistory(channelId, await personId(cid), 0))
    ann.goAway()
    await share()
    await expect(share()).rejects.toThrow('history/busy')
    expect(await ann.face().work()).toMatchObject([{ kind: 'share', total: 4 }])
    await ann.face().cancelWork('share')
    expect(await ann.face().work()).toEqual([])
    ann.comeBack()
    await world.run(60_000)
    expect(await sharedAt(cid)).toEqual([])
    expect(await noticesOf(cid)).toEqual([])

    ann.kill()
    const store = ann.store()
    await store.takeOver()
    const sync = await store.get('syncs', channelId)
    if (sync === undefined) throw new Error('unreachable')
    const accounts = sync.accounts.map(({ hpkeKey: _, ...place }) => place)
    await store.write([{ put: 'syncs', key: channelId, record: { ...sync, accounts } }])
    await world.run(5_000)
    await expect(share()).rejects.toThrow('history/no-key')
  })

  it('[SHR4] [U-06] go on to one newcomer when what failed to another is put away; stopped, none does', async () => {
    const { world, ann, cid, channelId } = await newcomer(4126, BEFORE)
    const [dan, eve] = [await anotherOne(world, 'dan', ann, channelId), await anotherOne(world, 'eve', ann, channelId)]
    const busy = new RelayError('relay/busy', { retryable: true })
    ann.forge = (operation) => (operation === 'channel.stash' ? busy : undefined)
    for (const one of [cid, dan]) await world.until(ann.face().shareHistory(channelId, await personId(one), 0))
    await world.until(cid.request('leaveChannel', { channelId: await groupIdOf(cid) }))
    await world.run(60_000)
    expect((await shareRows(ann)).toSorted()).toEqual(['out', 'out history/left'])
    expect(await ann.face().work()).toMatchObject([{ kind: 'share', state: 'failed', problem: 'history/left' }])
    await ann.face().cancelWork('share')
    expect(await shareRows(ann)).toEqual(['out'])
    ann.forge = () => undefined
    await world.run(120_000)
    expect(await sharedAt(dan)).toEqual(SHARED)
    expect(await ann.face().work()).toEqual([])

    ann.goAway()
    for (const one of [dan, eve]) await world.until(ann.face().shareHistory(channelId, await personId(one), 0))
    await ann.face().cancelWork('share')
    expect(await shareRows(ann)).toEqual([])
  })

  it('[SHR4] are not left at the relay for somebody whose key nothing can be sealed to: the person hears so', async () => {
    const { world, ann, bea, cid, channelId } = await newcomer(4125, BEFORE)
    const cidId = await accountIdOf(cid)
    const left = countAsked(world, ann, 'channel.stash')
    ann.kill()
    const store = ann.store()
    await store.takeOver()
    const sync = await store.get('syncs', channelId)
    if (sync === undefined) throw new Error('unreachable')
    const lowOrder = new Uint8Array(32)
    const accounts = sync.accounts.map((place) =>
      equalBytes(place.account, cidId) ? { ...place, hpkeKey: lowOrder } : place,
    )
    await store.write([{ put: 'syncs', key: channelId, record: { ...sync, accounts } }])
    await world.run(5_000)
    await world.until(ann.face().shareHistory(channelId, await personId(cid), 0))
    await chatter(world, bea, await twoOf(bea), 5)
    expect(left()).toBe(0)
    expect(await ann.face().work()).toMatchObject([{ kind: 'share', state: 'failed', problem: 'history/no-key' }])
    await ann.face().cancelWork('share')
    expect(await ann.face().work()).toEqual([])
    expect(await noticesOf(bea)).toEqual([])
  })

  it('[SHR7] go to all devices of the newcomer, also to one that comes later, and only to the newcomer', async () => {
    const { world, ann, bea, cid, channelId } = await newcomer(4105, BEFORE)
    const second = await twin(world, cid, 'cid 2')
    await world.run(180_000)
    await world.until(ann.face().shareHistory(channelId, await personId(cid), 0))
    await world.run(60_000)
    for (const device of [cid, second]) expect(await sharedAt(device), device.name).toEqual(SHARED)
    const third = await twin(world, cid, 'cid 3')
    await world.run(180_000)
    expect(await sharedAt(third), 'by the log').toEqual(SHARED)
    expect(await sharedAt(bea)).toEqual([])
    expect(await sharedAt(await twin(world, ann, 'ann 2'))).toEqual([])
  })

  it('[SHR3] [SHR7] arrive once whatever write the sharer or the taker dies at', async () => {
    // Dying after a write leaves what dying before the next one does.
    let crashed = 0
    for (let n = 1; n <= 7; n++) {
      const { world, ann, cid, channelId } = await newcomer(4200 + n, ['one', 'two'])
      ann.crashAt(n, 'before')
      cid.crashAt(n, 'before')
      const asked = ann.face().shareHistory(channelId, await personId(cid), 0)
      asked.catch(() => undefined)
      await world.run(60_000)
      if ((await sharedAt(cid)).length === 0 && (await ann.store().list('shares')).length === 0) {
        // It died before the wish was stored: the person asks again, as the bridge would.
        await world.until(ann.face().shareHistory(channelId, await personId(cid), 0))
        await world.run(60_000)
      }
      expect(await sharedAt(cid), `write ${n}`).toEqual(['one (ann)', 'two (ann)'])
      expect((await noticesOf(cid)).length, `write ${n}`).toBe(1)
      crashed += ann.crashes + cid.crashes
    }
    expect(crashed).toBeGreaterThan(7)
  }, 240_000)

  it('[CHN22] [SHR3] are left at the relay anew when it has let go of them before they were told of', async () => {
    const { world, ann, cid, channelId } = await newcomer(4106, BEFORE)
    const busy = new RelayError('relay/busy', { retryable: true, detail: { waitMs: 6 * 3_600_000 } })
    ann.forge = (operation) => (operation === 'channel.post' ? busy : undefined) // nothing gets out
    await world.until(ann.face().shareHistory(channelId, await personId(cid), 0))
    await world.run(4_000)
    expect(stashed(world)).toBe(1)
    expect(await sharedAt(cid)).toEqual([])
    await world.run(4 * 86_400_000)
    expect(stashed(world), 'a day is over').toBe(0)
    ann.forge = () => undefined
    await world.run(7 * 3_600_000)
    expect(await sharedAt(cid)).toEqual(SHARED)
    expect(await noticesOf(cid)).toHaveLength(1)
  })

  it('[SHR3] [CHN22] of which the relay says each time that it has let go are left there anew by themselves, later after each time', async () => {
    const { world, ann, bea, cid, channelId } = await newcomer(4127, BEFORE)
    const left = countAsked(world, ann, 'channel.stash')
    ann.forge = (operation, args) => {
      if (operation !== 'channel.post') return undefined
      const { posts } = args as ArgsOf<'channel.post'>
      if (!posts.every(({ stash }) => stash !== undefined)) return undefined
      return { results: posts.map(({ id }) => ({ id, outcome: 'incomplete', position: 1 })) }
    }
    await world.until(ann.face().shareHistory(channelId, await personId(cid), 0))
    await chatter(world, bea, await twoOf(bea), 60)
    expect(left()).toBeGreaterThan(3)
    expect(left()).toBeLessThan(9)
    const going = { state: expect.stringMatching('running|waiting') }
    expect(await ann.face().work()).toMatchObject([{ kind: 'share', ...going }])
    await world.run(6 * 3_600_000)
    expect(left(), 'hours later').toBeLessThan(20)
    ann.forge = () => undefined
    await world.run(2 * 3_600_000)
    expect(await sharedAt(cid)).toEqual(SHARED)
    expect(await noticesOf(cid)).toHaveLength(1)
  }, 60_000)

  it('[SHR3] [CHN21] for which the relay has no room are not tried again with every message: the person hears so, and asks again', async () => {
    const { world, ann, bea, cid, channelId } = await newcomer(4121, BEFORE)
    const full = new RelayError('quota/stash', { retryable: true, detail: { waitMs: 86_400_000 } })
    const left = countAsked(world, ann, 'channel.stash')
    ann.forge = (operation) => (operation === 'channel.stash' ? full : undefined)
    await world.until(ann.face().shareHistory(channelId, await personId(cid), 0))
    await chatter(world, bea, await twoOf(bea), 50)
    expect(left()).toBe(1)
    expect(await ann.face().work()).toMatchObject([{ kind: 'share', state: 'failed', problem: 'history/full' }])
    ann.forge = () => undefined
    await world.until(ann.face().shareHistory(channelId, await personId(cid), 0))
    await world.run(20_000)
    expect(await sharedAt(cid)).toEqual(SHARED)
  })

  it('[SHR3] [SHR7] for which the relay has no time are tried again by themselves, longer after each time, going and coming', async () => {
    const { world, ann, bea, cid, channelId } = await newcomer(4122, BEFORE)
    const busy = new RelayError('relay/busy', { retryable: true })
    const [left, taken] = [countAsked(world, ann, 'channel.stash'), countAsked(world, cid, 'channel.unstash')]
    ann.forge = (operation) => (operation === 'channel.stash' ? busy : undefined)
    cid.forge = (operation) => (operation === 'channel.unstash' ? busy : undefined)
    const going = { state: expect.stringMatching('running|waiting') }
    await world.until(ann.face().shareHistory(channelId, await personId(cid), 0))
    await chatter(world, bea, await twoOf(bea), 50)
    expect(left()).toBeLessThan(9)
    expect(await ann.face().work()).toMatchObject([{ kind: 'share', ...going }])
    ann.forge = () => undefined
    await world.run(120_000) // nobody says anything
    await chatter(world, bea, await groupIdOf(bea), 50)
    expect(taken()).toBeLessThan(12)
    expect(await cid.face().work()).toMatchObject([{ kind: 'take', ...going }])
    cid.forge = () => undefined
    await world.run(300_000)
    expect(await sharedAt(cid)).toEqual(SHARED)
  })

  it('[SHR3] go on where they were cut off, and leave nothing at the relay besides', async () => {
    const long = Array.from({ length: 24 }, (_, n) => toBase64url(new Seeded(n).dice(45_000)))
    const { world, ann, cid, channelId } = await newcomer(4123, long)
    const asked: number[] = []
    let [cut, crash] = [true, true]
    world.onRequest((device, operation, args) => {
      if (device !== ann || operation !== 'channel.stash') return
      const { n } = args as ArgsOf<'channel.stash'>
      asked.push(n)
      if (n === 1 && cut) {
        // It comes to the relay; that it did is not heard.
        cut = false
        world.weather = { ...FAIR, latencyMs: [1_000, 1_000] }
        world.timeline.plan(1_500, () => {
          world.weather = FAIR
          ann.lose()
        })
      } else if (n === 2 && crash) {
        crash = false
        ann.kill()
      }
    })
    await world.until(ann.face().shareHistory(channelId, await personId(cid), 0))
    await world.run(120_000)
    expect(await sharedAt(cid)).toEqual(long.map((text) => `${text} (ann)`))
    expect(asked).toEqual([0, 1, 1, 2, 2])
    expect(stashed(world), 'as many pieces as there are').toBe(3)
  }, 60_000)

  it('[SHR3] begin anew where there is something else to share by then: no key seals two stories', async () => {
    const { world, ann, bea, cid, channelId } = await newcomer(4124, BEFORE)
    const stashes: string[] = []
    world.onRequest((device, operation, args) => {
      if (device !== ann || operation !== 'channel.stash') return
      stashes.push(toBase64url((args as ArgsOf<'channel.stash'>).stash.id))
      if (stashes.length < 3) ann.lose()
    })
    await world.until(ann.face().shareHistory(channelId, await personId(cid), 0))
    while (stashes.length < 2) await world.run(100)
    await world.until(ann.request('setBlocked', { id: await personId(bea), blocked: true }))
    await world.run(60_000)
    expect(await sharedAt(cid)).toEqual(['one (ann)', 'three (ann)'])
    expect([stashes.length, stashes[1] === stashes[0], stashes[2] === stashes[1]]).toEqual([3, true, false])
  })

  it('[SHR7] that the relay has no more, or that are rubbish, end with a reason; asked again, they come', async () => {
    const { world, ann, cid, channelId } = await newcomer(4107, BEFORE)
    cid.forge = (operation) => (operation === 'channel.unstash' ? {} : undefined)
    await world.until(ann.face().shareHistory(channelId, await personId(cid), 0))
    await world.run(20_000)
    expect(await cid.face().work()).toMatchObject([{ kind: 'take', state: 'failed', problem: 'history/gone' }])
    await cid.face().cancelWork('take')
    expect(await cid.face().work()).toEqual([])
    cid.forge = (operation) => (operation === 'channel.unstash' ? { bytes: new Uint8Array(512).fill(3) } : undefined)
    await world.until(ann.face().shareHistory(channelId, await personId(cid), 0))
    await world.run(20_000)
    expect(await cid.face().work()).toMatchObject([{ kind: 'take', state: 'failed', problem: 'history/damaged' }])
    expect(await sharedAt(cid)).toEqual([])
    cid.forge = () => undefined
    await world.until(ann.face().shareHistory(channelId, await personId(cid), 0))
    await world.run(20_000)
    expect(await sharedAt(cid)).toEqual(SHARED)
  })

  it('[I-01] the relay can read nothing of them', async () => {
    const { world, ann, cid, channelId } = await newcomer(4108, ['a very particular sentence'])
    await world.until(ann.face().shareHistory(channelId, await personId(cid), 0))
    await world.run(20_000)
    expect(await sharedAt(cid)).toHaveLength(1)
    expect(stashed(world)).toBe(1)
    const all = JSON.stringify(world.relay.dump(), (_, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
    )
    expect(all.includes('very particular')).toBe(false)
  })
})

describe('a member that shares what it likes', () => {
  it('[SHR5] [SHR8] puts nothing after the join, over what is there, in the name of the newcomer, nor twice', async () => {
    const { world, ann, bea, cid, channelId } = await newcomer(4111, BEFORE)
    const ofCid = await groupIdOf(cid)
    await say(cid, ofCid, 'mine')
    await world.until(ann.face().shareHistory(channelId, await personId(cid), 0))
    await world.run(20_000)
    const lines = await cid.lines(ofCid)
    const [annId, cidId] = [await accountIdOf(ann), await accountIdOf(cid)]
    const rows = await cid.store().list('lines', { of: ofCid })
    const held = lines.filter((line) => line.kind === 'text')
    const first = held[0]
    if (first === undefined) throw new Error('unreachable')
    const since = (await cid.store().get('syncs', ofCid))?.joinedAt ?? 0
    const mine = rows.find(({ record }) => record.mine)?.record.messageId ?? idOf(0)
    const told = [
      lineOf(annId, since + 1, 'after the join', idOf(1)),
      lineOf(annId, since, 'at the join', idOf(2)),
      lineOf(annId, first.order, 'over what is there', idOf(3)),
      lineOf(annId, 3, 'under an id that is there', mine),
      lineOf(annId, since - 1, 'once more elsewhere', fromBase64url(first.id)),
      lineOf(cidId, 2, 'in your name', idOf(4)),
      lineOf(annId, 0, 'nowhere', idOf(5)),
      lineOf(annId, 1, 'once', idOf(6)),
      lineOf(annId, 1, 'twice', idOf(6)),
      lineOf(annId, 1, 'in the same place', idOf(7)),
    ]
    await lie(world, bea, cid, { lines: told })
    expect(await sharedAt(cid)).toEqual(['once (bea)', ...SHARED])
    expect((await textsOf(cid, ofCid)).filter((text) => text === 'mine')).toHaveLength(1)
  })

  it('[SHR5] addresses another one, says a place after the join, more than it has, or no pieces: nothing is taken', async () => {
    const { world, bea, cid } = await newcomer(4112, BEFORE)
    const told = [lineOf(await accountIdOf(bea), 2, 'a lie', idOf(1))]
    await lie(world, bea, cid, { lines: told, to: await accountIdOf(bea) })
    expect(await shareRows(cid)).toEqual([])
    await lie(world, bea, cid, { lines: told, upTo: 2 ** 40 })
    await lie(world, bea, cid, { lines: told, count: 2 ** 40 })
    await lie(world, bea, cid, { lines: [] })
    expect(await shareRows(cid)).toEqual([])
    await lie(world, bea, cid, { lines: told, count: 0 })
    expect(await sharedAt(cid)).toEqual([])
    await lie(world, bea, cid, { lines: told, box: (box) => box.slice().fill(1, 40) })
    expect(await shareRows(cid)).toContain('in history/not-ours')
    await lie(world, bea, cid, { lines: told, pieces: (pieces) => pieces.map((one) => one.slice().reverse()) })
    expect(await shareRows(cid)).toContain('in history/damaged')
    expect(await sharedAt(cid)).toEqual([])
  }, 60_000)

  it('[SHR6] shares more often than four times a day: the rest is passed over until the next one', async () => {
    const { world, bea, cid } = await newcomer(4113, BEFORE)
    const beaId = await accountIdOf(bea)
    for (let n = 1; n <= 6; n++) await lie(world, bea, cid, { lines: [lineOf(beaId, n, `lie ${n}`, idOf(n))] })
    expect(await sharedAt(cid)).toHaveLength(4)
    expect((await noticesOf(cid)).length, 'that it was shared is said').toBe(6)
    await world.run(86_400_000)
    await lie(world, bea, cid, { lines: [lineOf(beaId, 7, 'lie 7', idOf(7))] })
    expect(await sharedAt(cid)).toHaveLength(5)
  }, 60_000)

  it('[SHR6] shares very much: the person is asked, and takes it or not', async () => {
    const { world, bea, cid } = await newcomer(4114, BEFORE)
    const beaId = await accountIdOf(bea)
    const ofCid = await groupIdOf(cid)
    const lines = [lineOf(beaId, 2, 'a long story', idOf(1))]
    await lie(world, bea, cid, { lines, count: 5_001 })
    expect(await sharedAt(cid)).toEqual([])
    const [offer] = await cid.face().historyOffers(ofCid)
    expect(offer).toMatchObject({ count: 5_001 })
    expect(await cid.face().work()).toEqual([])
    await world.until(cid.face().answerHistory(ofCid, offer?.id ?? '', false))
    expect(await cid.face().historyOffers(ofCid)).toEqual([])
    await expect(world.until(cid.face().answerHistory(ofCid, offer?.id ?? '', true))).rejects.toThrow('history/unknown')
    await world.run(10_000)
    expect(await sharedAt(cid)).toEqual([])
    await lie(world, bea, cid, { lines, count: 5_001 })
    const [again] = await cid.face().historyOffers(ofCid)
    await world.until(cid.face().answerHistory(ofCid, again?.id ?? '', true))
    await world.run(10_000)
    expect(await sharedAt(cid)).toEqual(['a long story (bea)'])
  })

  it('[M-11] [SHR5] is blocked: what it shares is passed over', async () => {
    const { world, ann, cid, channelId } = await newcomer(4115, BEFORE)
    await world.until(cid.request('setBlocked', { id: await personId(ann), blocked: true }))
    await world.until(ann.face().shareHistory(channelId, await personId(cid), 0))
    await world.run(20_000)
    expect(await sharedAt(cid)).toEqual([])
    expect(await shareRows(cid)).toEqual([])
  })

  it('[SHR8] has shared a message under an id that its author says later: the author is heard', async () => {
    const { world, ann, bea, cid, channelId } = await newcomer(4116, BEFORE)
    ann.goAway()
    await say(ann, channelId, 'the true words')
    const [waiting] = await ann.store().list('intents')
    const id = waiting?.record.messageId ?? (await ann.store().list('outbox'))[0]?.record.line?.messageId
    if (id === undefined) throw new Error('nothing waits')
    await lie(world, bea, cid, { lines: [lineOf(await accountIdOf(ann), 2, 'other words', id)] })
    expect(await sharedAt(cid)).toEqual(['other words (bea)'])
    ann.comeBack()
    await world.run(30_000)
    expect(await sharedAt(cid)).toEqual([])
    expect((await textsOf(cid, await groupIdOf(cid))).filter((text) => / words/.test(text))).toEqual(['the true words'])
  })
})

async function chatter(world: World, by: SimDevice, channelId: string, count: number): Promise<void> {
  for (let n = 1; n <= count; n++) {
    await say(by, channelId, `message ${n}`)
    await world.run(1_000)
  }
}

/** Its conversation with Ann. */
async function twoOf(device: SimDevice): Promise<string> {
  return (await device.face().channels()).find(({ kind }) => kind === 'direct')?.id ?? ''
}

/** @returns how often that device has asked that since */
function countAsked(world: World, device: SimDevice, asked: OperationName): () => number {
  let count = 0
  world.onRequest((by, operation) => {
    if (by === device && operation === asked) count++
  })
  return () => count
}

/** One more person, whom Ann knows, comes into the group. */
async function anotherOne(world: World, name: string, ann: SimDevice, channelId: string): Promise<SimDevice> {
  const other = await identity(world, name)
  await world.until(ann.request('acceptInvitation', { link: await invite(world, other) }))
  await world.run(30_000)
  await world.until(ann.request('addMembers', { channelId, ids: await personIds([other]) }))
  await world.run(90_000)
  return other
}
