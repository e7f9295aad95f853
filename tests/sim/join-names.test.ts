import { describe, expect, it } from 'vitest'
import type { NamedRecord } from '#app/ports/join-records.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import { toHex } from '#core/bytes/hex.ts'
import { toUtf8 } from '#core/bytes/utf8.ts'
import { RelayError } from '#core/errors.ts'
import { addressOfName } from '#core/identity/channel-name.ts'
import type { Token } from '#core/wire/ids.ts'
import { introduceFalsely } from '../support/sim/false-introduction.ts'
import { groupIdOf } from '../support/sim/many-devices.ts'
import { invite, say, textsOf } from '../support/sim/meet.ts'
import { circle, identity, personId, personIds } from '../support/sim/people.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { twin } from '../support/sim/twin.ts'
import type { World } from '../support/sim/world.ts'
import { x25519Pair } from '../support/x25519-pair.ts'

const NAME = 'stave/public/walks'

/** Ann owns a group that is found by its name, with ben in it; cid knows nobody. */
async function gather(seed: number) {
  const { world, first: ann, others } = await circle(seed, ['ann', 'ben'])
  const [ben] = others
  const cid = await identity(world, 'cid')
  if (ben === undefined) throw new Error('unreachable')
  const { channelId } = await world.until(
    ann.face().createGroup({ title: 'Walks', members: await personIds(others), name: NAME }),
  )
  await world.run(90_000)
  return { world, ann, ben, cid, channelId }
}

const namedOf = async (device: SimDevice, id: string) => (await device.face().channelDetails(id)).named
const hasGroup = async (device: SimDevice): Promise<boolean> =>
  (await device.face().channels()).some(({ kind, left }) => kind === 'group' && left === undefined)

async function look(world: World, device: SimDevice, channelId: string) {
  await world.until(device.face().lookForJoins(channelId))
  await world.run(10_000)
  return device.face().joinRequests(channelId)
}

describe('a channel with a name', () => {
  it('[C-09] is found by it, asked for, and its owner says yes: who asked comes in, and is no stranger there', async () => {
    const { world, ann, ben, cid, channelId } = await gather(421)
    expect(await namedOf(ann, channelId)).toEqual({ name: NAME, state: 'registered' })
    const address = (await ann.store().get('channels', channelId))?.address
    expect(toHex(address ?? new Uint8Array())).toBe(toHex(addressOfName(NAME)))
    expect(await world.until(cid.face().findChannel(NAME))).toBe(true)
    expect(await world.until(cid.face().findChannel('stave/public/nowhere'))).toBe(false)

    await world.until(cid.face().askToJoin(NAME, 'I live by the river'))
    expect(await cid.face().asked()).toMatchObject([{ name: NAME, note: 'I live by the river', state: 'waiting' }])
    await world.run(10_000)
    expect(await ben.face().joinRequests(await groupIdOf(ben)), 'a plain member sees nothing').toEqual([])
    const asks = await look(world, ann, channelId)
    expect(asks).toMatchObject([
      {
        name: 'cid',
        note: 'I live by the river',
        by: 'name',
        state: 'asked',
        known: false,
        personId: await personId(cid),
      },
    ])
    await world.until(ann.face().approveJoin(asks[0]?.id ?? ''))
    await world.run(90_000)
    const ofCid = await groupIdOf(cid)
    const view = (await cid.face().channels()).find(({ id }) => id === ofCid)
    expect([view?.title, view?.request]).toEqual(['Walks', undefined])
    expect(await cid.face().asked()).toMatchObject([{ state: 'in', channelId: ofCid }])
    await say(cid, ofCid, 'hello')
    await world.run(60_000)
    for (const device of [ann, ben]) {
      const id = await groupIdOf(device)
      expect(await textsOf(device, id), device.name).toEqual(['hello'])
      const names = (await device.face().channelDetails(id)).members.map(({ name }) => name).sort()
      expect(names, device.name).toEqual(['ann', 'ben', 'cid'])
    }
    expect(await look(world, ann, channelId)).toEqual([])
    const left = world.relay.dump().find(({ table }) => table === 'asks')?.rows ?? []
    expect(
      left.every((row) => row.includes(null)),
      'nothing waits at the relay',
    ).toBe(true)
  })

  it('[C-09] declined, nobody comes in and nobody is told; withdrawn, it would be a stranger’s request again', async () => {
    const { world, ann, cid, channelId } = await gather(422)
    await world.until(cid.face().askToJoin(NAME, ''))
    const [asked] = await look(world, ann, channelId)
    await world.until(ann.face().declineJoin(asked?.id ?? ''))
    await world.run(60_000)
    expect(await look(world, ann, channelId)).toEqual([])
    expect([await hasGroup(cid), (await cid.face().asked())[0]?.state]).toEqual([false, 'waiting'])
    await expect(world.until(cid.face().askToJoin(NAME, 'again'))).rejects.toMatchObject({ code: 'join/asked' })
    await world.until(cid.face().withdrawAsk((await cid.face().asked())[0]?.id ?? ''))
    expect(await cid.face().asked()).toEqual([])

    await world.until(cid.face().askToJoin(NAME, 'a second time'))
    const [second] = await look(world, ann, channelId)
    expect(second?.note).toBe('a second time')
    await world.until(cid.face().withdrawAsk((await cid.face().asked())[0]?.id ?? ''))
    await world.until(ann.face().approveJoin(second?.id ?? ''))
    await world.run(60_000)
    const view = (await cid.face().channels()).find(({ kind }) => kind === 'group')
    expect(view?.request?.name, 'M-11').toBe('ann')
  })

  it('[C-09] [INV9] who was taken out may ask to come in again, and it is said with the question that they were', async () => {
    const { world, ann, cid, channelId } = await gather(437)
    const comeIn = async (): Promise<void> => {
      await world.until(cid.face().askToJoin(NAME, 'let me in'))
      const [asked] = await look(world, ann, channelId)
      await world.until(ann.face().approveJoin(asked?.id ?? ''))
      await world.run(90_000)
    }
    await comeIn()
    await expect(world.until(cid.face().askToJoin(NAME, ''))).rejects.toMatchObject({ code: 'join/member' })
    await world.until(ann.request('removeMember', { channelId, id: await personId(cid) }))
    await world.run(120_000)
    await world.until(cid.face().askToJoin(NAME, 'I am sorry'))
    const asks = await look(world, ann, channelId)
    expect(asks).toMatchObject([{ name: 'cid', note: 'I am sorry', state: 'asked', putOut: true }])
    await world.until(ann.face().approveJoin(asks[0]?.id ?? ''))
    await world.run(90_000)
    await say(cid, await groupIdOf(cid), 'thank you')
    await world.run(30_000)
    expect(await textsOf(ann, channelId)).toEqual(['thank you'])
  })

  it('[C-09] says what is wrong before anything is made or asked', async () => {
    const { world, ann, cid } = await gather(423)
    const group = { title: 'Other', members: [] }
    for (const [act, code] of [
      [() => ann.face().createGroup({ ...group, name: NAME }), 'name/exists'],
      [() => ann.face().createGroup({ ...group, name: 'Walks' }), 'name/form'],
      [() => cid.face().createGroup({ ...group, name: NAME }), 'name/exists'],
      [() => cid.face().findChannel('walks'), 'name/form'],
      [() => cid.face().askToJoin('stave/public/nowhere', ''), 'name/unknown'],
      [() => cid.face().askToJoin('nowhere', ''), 'name/form'],
      [() => cid.face().askToJoin(NAME, 'x'.repeat(281)), 'join/note'],
      [() => ann.face().askToJoin(NAME, ''), 'join/member'],
    ] as const) {
      await expect(world.until<unknown>(act()), code).rejects.toMatchObject({ code })
    }
    expect((await ann.face().channels()).filter(({ kind }) => kind === 'group')).toHaveLength(1)
    expect(await cid.face().asked()).toEqual([])
  })

  it('[C-09] whose name somebody else was faster with goes on without, and its owner is told', async () => {
    const { world, first: ann, others } = await circle(424, ['ann', 'ben'])
    const [ben] = others
    if (ben === undefined) throw new Error('unreachable')
    // Both look before either has registered.
    const members = { title: 'Walks', name: NAME }
    const both = [
      ann.face().createGroup({ ...members, members: await personIds([ben]) }),
      ben.face().createGroup({ ...members, members: await personIds([ann]) }),
    ]
    const made = await world.until(Promise.all(both))
    await world.run(120_000)
    const states = [await namedOf(ann, made[0]?.channelId ?? ''), await namedOf(ben, made[1]?.channelId ?? '')]
    expect(states.map((named) => named?.state).sort()).toEqual(['registered', 'taken'])
    for (const [i, device] of [ann, ben].entries()) {
      await say(device, made[i]?.channelId ?? '', `by ${device.name}`)
    }
    await world.run(60_000)
    for (const device of [ann, ben]) {
      const groups = (await device.face().channels()).filter(({ kind }) => kind === 'group')
      expect(groups.map(({ lastText }) => lastText).sort(), device.name).toEqual(['by ann', 'by ben'])
    }
  })

  it('[C-09] whose name is registered away in between goes on without', async () => {
    const { world, first: ann } = await circle(425, ['ann', 'ben'])
    const stranger = world.relay.connect(() => {})
    let isGone = false
    world.onRequest((device, operation) => {
      if (device !== ann || operation !== 'channel.open' || isGone) return
      isGone = true
      const { dice } = world.random
      void stranger.call('name.register', { name: NAME, tokenHash: dice(32) as never, joinKey: dice(32) })
    })
    const { channelId } = await world.until(ann.face().createGroup({ title: 'Walks', members: [], name: NAME }))
    await world.run(60_000)
    expect(await namedOf(ann, channelId)).toEqual({ name: NAME, state: 'taken' })
    await say(ann, channelId, 'all the same')
    await world.run(10_000)
    expect(await ann.lines(channelId)).toMatchObject([{ text: 'all the same', state: 'sent' }])
  })

  it('[C-09] [T-06] no other channel leaves a name at the relay, nor does this one its own', async () => {
    const { world, ann, cid } = await gather(426)
    await world.until(ann.face().createGroup({ title: 'Unnamed allotment', members: [] }))
    await world.until(cid.face().askToJoin(NAME, 'hello from the river'))
    await world.run(60_000)
    const cells = world.relay
      .dump()
      .flatMap(({ rows }) => rows.flat())
      .map((cell) => (cell instanceof Uint8Array ? toHex(cell) : toHex(toUtf8(String(cell)))))
      .join()
    for (const word of ['Unnamed allotment', 'allotment', 'Walks', NAME, 'public/walks', 'river', 'cid']) {
      expect(cells, word).not.toContain(toHex(toUtf8(word)))
    }
    expect((world.relay.dump().find(({ table }) => table === 'names')?.rows ?? []).length).toBe(1)
  })
})

describe('who may let people in', () => {
  it('[C-09] every device of the account that registered, and whoever is made an admin; one yes is enough, after a no that it did not see', async () => {
    const { world, ann, ben, cid, channelId } = await gather(427)
    const phone = await twin(world, ann, 'phone')
    await world.until(ann.request('setRole', { channelId, id: await personId(ben), role: 'admin' }))
    await world.run(120_000)
    await world.until(cid.face().askToJoin(NAME, 'hello'))
    await world.run(10_000)
    const ofBen = await groupIdOf(ben)
    const ofPhone = await groupIdOf(phone)
    const [onAnn] = await look(world, ann, channelId)
    const [onPhone] = await look(world, phone, ofPhone)
    const [onBen] = await look(world, ben, ofBen)
    expect([onAnn?.name, onPhone?.name, onBen?.name]).toEqual(['cid', 'cid', 'cid'])
    await world.until(phone.face().declineJoin(onPhone?.id ?? ''))
    await world.until(ben.face().approveJoin(onBen?.id ?? ''))
    await world.run(90_000)
    expect(await hasGroup(cid)).toBe(true)
    expect(await look(world, ann, channelId), 'answered by somebody else').toEqual([])
    const late = world.until(ann.face().approveJoin(onAnn?.id ?? ''))
    await expect(late, 'and answered no more').rejects.toMatchObject({ code: 'join/unknown' })
    expect(await textsOf(ann, channelId), 'keys are no lines').toEqual([])
  })

  it('[C-09] keys that are none are let go, and take the right ones’ place on no device', async () => {
    const { world, ann, ben, channelId } = await gather(428)
    const ofBen = await groupIdOf(ben)
    await world.until(ann.request('setRole', { channelId, id: await personId(ben), role: 'admin' }))
    await world.run(60_000)
    const right = (await ann.store().get('channels', channelId))?.named
    expect((await ben.store().get('channels', ofBen))?.named).toMatchObject({ keys: right?.keys, proven: true })

    // An owner who gives the next admin keys that open nothing.
    const dan = await identity(world, 'dan')
    await world.until(ann.request('acceptInvitation', { link: await invite(world, dan) }))
    await world.run(60_000)
    await world.until(ann.request('addMembers', { channelId, ids: [await personId(dan)] }))
    await world.run(60_000)
    const give = async (named: NamedRecord | undefined): Promise<void> => {
      ann.kill()
      const record = await ann.store().get('channels', channelId)
      if (record === undefined || named === undefined) throw new Error('unreachable')
      await ann.store().writeFree('channels' as 'drafts', channelId, { ...record, named } as never) // past the fence
      await world.run(30_000)
    }
    const none = { token: world.random.dice(32) as Token, seed: world.random.dice(32) }
    ben.goAway()
    await give({ ...(right as NamedRecord), keys: none })
    await world.until(ann.request('setRole', { channelId, id: await personId(dan), role: 'admin' }))
    await world.run(60_000)
    const ofDan = await groupIdOf(dan)
    expect((await dan.store().get('channels', ofDan))?.named).not.toHaveProperty('keys')
    // As every keeper has it now, who heard the message: dan has been told. With the role given anew, so are the keys.
    const ofDanThen = (await dan.store().get('channels', ofDan))?.named
    expect(ofDanThen?.given?.length).toBe(3)
    await give({ ...(right as NamedRecord), given: ofDanThen?.given ?? [] })
    for (const role of ['member', 'admin'] as const) {
      await world.until(ann.request('setRole', { channelId, id: await personId(dan), role }))
      await world.run(60_000)
    }
    expect((await dan.store().get('channels', ofDan))?.named).toMatchObject({ keys: right?.keys, proven: true })
    ben.comeBack()
    await world.run(60_000)
    expect((await ben.store().get('channels', ofBen))?.named).toMatchObject({ keys: right?.keys, proven: true })
  })
})

describe('what waits for a name', () => {
  it('[C-09] [NAM5] [R-02] rubbish keeps nobody from being seen, and neither does somebody who is blocked', async () => {
    const { world, ann, ben, cid, channelId } = await gather(431)
    const stranger = world.relay.connect(() => {})
    const { dice } = world.random
    for (let i = 0; i < 20; i++) await stranger.call('name.ask', { name: NAME, id: dice(16), request: dice(512) })
    const dan = await identity(world, 'dan')
    await world.until(ann.request('acceptInvitation', { link: await invite(world, dan) }))
    await world.run(30_000)
    await world.until(ann.face().setBlocked(await personId(dan), true))
    await world.until(dan.face().askToJoin(NAME, 'let me in'))
    await world.until(cid.face().askToJoin(NAME, 'and me'))
    await world.run(5_000)
    expect((await look(world, ann, channelId)).map(({ name }) => name)).toEqual(['cid'])
    expect((await ann.face().channels()).find(({ id }) => id === channelId)?.asking).toBe(1)
    expect(await ben.face().joinRequests(await groupIdOf(ben))).toEqual([])
    const waits = world.relay.dump().find(({ table }) => table === 'asks')?.rows ?? []
    expect(waits.filter((row) => !row.includes(null))).toHaveLength(2)
  })

  it('[C-09] [NAM5] a request that the relay shows again, or under another number, asks nothing', async () => {
    const { world, ann, cid, channelId } = await gather(432)
    let sent: { id: Uint8Array; request: Uint8Array } | undefined
    world.onRequest((device, operation, args) => {
      if (device === cid && operation === 'name.ask') sent = args as typeof sent
    })
    await world.until(cid.face().askToJoin(NAME, 'hello'))
    const [asked] = await look(world, ann, channelId)
    await world.until(ann.face().declineJoin(asked?.id ?? ''))
    await world.run(10_000)
    if (sent === undefined) throw new Error('unreachable')
    const { id, request } = sent
    const moved = { id: world.random.dice(16), request }
    let shown = 0
    ann.forge = (operation) => {
      if (operation !== 'name.asked') return undefined
      shown++
      return { requests: [{ id, request }, moved], more: false }
    }
    expect(await look(world, ann, channelId)).toEqual([])
    expect(shown).toBe(1)
    for (const device of world.devices) device.goAway()
    await world.run(20 * 24 * 60 * 60 * 1000)
    ann.comeBack()
    await world.run(60_000)
    expect(
      (await ann.store().list('joins')).length,
      'what was answered is forgotten once it could not come again',
    ).toBe(0)
    expect(await look(world, ann, channelId), 'and is too old by then').toEqual([])
  })

  it('[C-09] [M-11] who asked with one device comes in with all, and none takes it for a stranger’s request for long', async () => {
    const { world, ann, cid, channelId } = await gather(433)
    const phone = await twin(world, cid, 'phone')
    await world.run(120_000)
    await world.until(cid.face().askToJoin(NAME, 'both of us'))
    const [asked] = await look(world, ann, channelId)
    await world.until(ann.face().approveJoin(asked?.id ?? ''))
    await world.run(120_000)
    for (const device of [cid, phone]) {
      const view = (await device.face().channels()).find(({ kind }) => kind === 'group')
      expect([view?.title, view?.request], device.name).toEqual(['Walks', undefined])
    }
    await say(phone, await groupIdOf(phone), 'from the phone')
    await world.run(60_000)
    expect(await textsOf(ann, channelId)).toEqual(['from the phone'])
  })
})

describe('one that fails', () => {
  it('[C-09] [NAM9] a request whose answer is late or lost is kept, and known to be answered', async () => {
    for (const code of ['relay/unreachable', 'relay/failed']) {
      const { world, ann, cid, channelId } = await gather(439)
      const line = world.relay.connect(() => {})
      let answer: (reply: object) => void = () => {}
      let calls = 0
      cid.forge = (operation, args) => {
        if (operation !== 'name.ask') return undefined
        if (++calls > 1) {
          return new Promise<object>((resolve) => {
            answer = resolve
          })
        }
        return line.call('name.ask', args as never).then(() => {
          throw new RelayError(code, { retryable: true })
        })
      }
      await world.until(cid.face().askToJoin(NAME, 'hello'))
      await world.run(150_000)
      expect([calls, (await cid.face().asked())[0]?.state], code).toEqual([2, 'sending'])
      const [asked] = await look(world, ann, channelId)
      await world.until(ann.face().approveJoin(asked?.id ?? ''))
      await world.run(90_000)
      answer({})
      await world.run(10_000)
      expect((await cid.face().asked())[0], code).toMatchObject({ state: 'in', channelId: await groupIdOf(cid) })
      expect((await cid.face().channels()).find(({ kind }) => kind === 'group')?.request, code).toBeUndefined()
    }
  })

  it('[C-09] [NAM8] holds up nobody else, nor looking for who asks next', async () => {
    const { world, ann, cid, channelId } = await gather(438)
    const [dan, eva] = [await identity(world, 'dan'), await identity(world, 'eva')]
    for (const device of [cid, dan]) {
      await world.until(device.face().askToJoin(NAME, 'hello'))
      await world.run(5_000)
    }
    const asks = await look(world, ann, channelId)
    expect(asks.map(({ name }) => name)).toEqual(['cid', 'dan'])
    const ofCid = await personId(cid)
    ann.forge = (operation, args) =>
      operation === 'packages.take' && toBase64url((args as { account: Uint8Array }).account) === ofCid
        ? new RelayError('relay/failed', { retryable: true })
        : undefined
    for (const { id } of asks) await world.until(ann.face().approveJoin(id))
    await world.run(90_000)
    expect([await hasGroup(cid), await hasGroup(dan)]).toEqual([false, true])
    const left = (): number =>
      (world.relay.dump().find(({ table }) => table === 'asks')?.rows ?? []).filter((row) => !row.includes(null)).length
    expect(left(), 'what was answered is settled').toBe(1)
    await world.until(eva.face().askToJoin(NAME, 'and me'))
    await world.run(25 * 60_000)
    expect((await ann.face().joinRequests(channelId)).map(({ name, state }) => [name, state])).toContainEqual([
      'eva',
      'asked',
    ])
    ann.forge = () => undefined
    await world.run(4 * 60_000)
    expect(await hasGroup(cid), 'and it is tried again').toBe(true)
  })
})

describe('a name’s address, which is no secret', () => {
  it('[C-09] [M-11] nobody takes it on the asker’s device with a group of their own, nor becomes a contact by it', async () => {
    const { world, ann, cid, channelId } = await gather(435)
    const stranger = await identity(world, 'eva')
    await world.until(cid.face().askToJoin(NAME, 'hello'))
    await introduceFalsely(world, stranger, cid, addressOfName(NAME))
    await world.run(60_000)
    expect([await hasGroup(cid), await cid.store().list('contacts')]).toEqual([false, []])
    expect(await cid.face().asked()).toMatchObject([{ state: 'waiting' }])
    const [asked] = await look(world, ann, channelId)
    await world.until(ann.face().approveJoin(asked?.id ?? ''))
    await world.run(90_000)
    await say(ann, channelId, 'hello cid')
    await world.run(30_000)
    expect(await textsOf(cid, await groupIdOf(cid))).toEqual(['hello cid'])
    expect((await cid.store().list('contacts')).map(({ record }) => record.name)).toEqual(['ann'])
    expect((await cid.face().asked())[0]?.state).toBe('in')
  })

  it('[C-09] [M-11] by a seat there that is no more it is a stranger’s request, in nobody’s way, and gone once declined', async () => {
    const { world, ann, ben, cid, channelId } = await gather(436)
    const dan = await identity(world, 'dan')
    const ofBen = await ben.store().get('syncs', await groupIdOf(ben))
    if (ofBen === undefined) throw new Error('unreachable')
    await world.until(ann.request('removeMember', { channelId, id: await personId(ben) }))
    await world.run(60_000)
    await world.until(cid.face().askToJoin(NAME, 'hello'))
    for (const device of [cid, dan]) await introduceFalsely(world, ben, device, addressOfName(NAME), ofBen)
    await world.run(60_000)
    for (const device of [cid, dan]) {
      expect(await device.store().list('contacts'), device.name).toEqual([])
      const view = (await device.face().channels()).find(({ kind }) => kind === 'group')
      expect([view?.request?.name, view?.left], device.name).toEqual(['ben', 'removed'])
    }
    expect(await cid.face().asked()).toMatchObject([{ state: 'waiting' }])
    await world.until(dan.request('declineRequest', { channelId: await groupIdOf(dan) }))
    await world.run(10_000)
    expect(await hasGroup(dan)).toBe(false)
    await world.until(dan.face().askToJoin(NAME, 'hello'))

    const [ofCid, ofDan] = await look(world, ann, channelId)
    for (const one of [ofCid, ofDan]) await world.until(ann.face().approveJoin(one?.id ?? ''))
    await world.run(120_000)
    await say(ann, channelId, 'hello both')
    await world.run(30_000)
    for (const device of [cid, dan]) {
      const id = await groupIdOf(device)
      expect((await device.face().channels()).find((one) => one.id === id)?.request, device.name).toBeUndefined()
      expect(await textsOf(device, id), device.name).toContain('hello both')
      expect(
        (await device.store().list('contacts')).map(({ record }) => record.name),
        device.name,
      ).toEqual(['ann'])
    }
  })
})

describe('a relay that lies about a name', () => {
  it('[C-09] gives out another key: it reads the request and lets nobody in, and whoever keeps the name is told', async () => {
    const { world, ann, cid, channelId } = await gather(429)
    const { publicKey } = await x25519Pair(world.random.dice)
    const lie = (operation: string) => (operation === 'name.find' ? { joinKey: publicKey } : undefined)
    cid.forge = lie
    await world.until(cid.face().askToJoin(NAME, 'hello'))
    cid.forge = () => undefined
    expect(await look(world, ann, channelId)).toEqual([])
    expect(await namedOf(ann, channelId)).toEqual({ name: NAME, state: 'registered' })
    ann.forge = lie
    await look(world, ann, channelId)
    expect(await namedOf(ann, channelId)).toMatchObject({ swapped: true })
    ann.forge = () => undefined
    await look(world, ann, channelId)
    expect(await namedOf(ann, channelId)).not.toHaveProperty('swapped')
    expect(await hasGroup(cid)).toBe(false)
  })

  it('[C-09] refuses the token, or has lost the name: what this device has of it stays', async () => {
    const { world, ann, channelId } = await gather(430)
    const before = (await ann.store().get('channels', channelId))?.named
    for (const code of ['name/refused', 'name/unknown']) {
      const no = new RelayError(code, { retryable: false })
      ann.forge = (operation) => (operation === 'name.asked' ? no : undefined)
      await look(world, ann, channelId)
    }
    expect((await ann.store().get('channels', channelId))?.named).toEqual(before)
  })
})
