import { describe, expect, it } from 'vitest'
import { readKeyRing } from '#app/account/key-ring.ts'
import { readAccount, readRealm } from '#app/account/read-account.ts'
import { NOTES } from '#app/log/notes.ts'
import { nextLogHead } from '#core/channel/log-chain.ts'
import { UsageError } from '#core/errors.ts'
import { logAddressOf, newest } from '#core/keys/key-ring.ts'
import { ENTRY_VERSION } from '#core/log/entry.ts'
import { notesAddress } from '#core/log/notes.ts'
import { sealEntry } from '#core/log/seal.ts'
import type { DeviceId, MessageId } from '#core/wire/ids.ts'
import { meet, say, textsOf } from '../support/sim/meet.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { twin } from '../support/sim/twin.ts'
import type { World } from '../support/sim/world.ts'

async function unreadOf(device: SimDevice): Promise<number> {
  return (await device.face().channels()).reduce((sum, { unread }) => sum + unread, 0)
}

async function read(device: SimDevice, channelId: string): Promise<void> {
  const theirs = (await device.lines(channelId)).findLast(({ author }) => !author.mine)
  await device.face().markRead(channelId, theirs?.order ?? -1)
}

async function pushed(world: World, device: SimDevice): Promise<number> {
  await world.run(10_000)
  const log = await device.store().get('meta', 'log')
  return log?.kind === 'log' ? log.position : 0
}

describe('two devices of one account in one conversation', () => {
  it('[L-01] what is read on one is read on the other, also when it comes there later', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(111)
    const second = await twin(world, ann, 'second')
    await world.run(30_000)
    const [ofSecond = ''] = await second.channelIds()
    await say(bea, ofBea, 'one')
    await world.run(10_000)
    expect([await unreadOf(ann), await unreadOf(second)]).toEqual([1, 1])
    await read(ann, ofAnn)
    await world.run(10_000)
    expect(await unreadOf(second)).toBe(0)
    second.goAway()
    await say(bea, ofBea, 'two')
    await say(bea, ofBea, 'three')
    await world.run(10_000)
    await read(ann, ofAnn)
    await world.run(10_000)
    second.comeBack()
    await world.run(30_000)
    expect(await textsOf(second, ofSecond)).toEqual(['one', 'two', 'three'])
    expect(await unreadOf(second)).toBe(0)
    await say(bea, ofBea, 'four')
    await world.run(10_000)
    expect(await unreadOf(second)).toBe(1)
  })

  it('[L-01] a message that both received is told to the log once; one that one of them sent is there at once', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(112)
    const second = await twin(world, ann, 'second')
    await world.run(60_000)
    const before = await pushed(world, ann)
    await say(bea, ofBea, 'to both')
    expect(await pushed(world, ann)).toBe(before + 1)
    await say(ann, ofAnn, 'from one')
    await world.run(1_500)
    const log = await second.store().get('meta', 'log')
    expect(log?.kind === 'log' && log.position).toBeGreaterThan(before + 1)
    const [ofSecond = ''] = await second.channelIds()
    expect((await second.lines(ofSecond)).map(({ author }) => author.mine)).toEqual([false, true])
    for (const device of [ann, second]) expect(await device.store().list('deltas', { of: 'waiting' })).toEqual([])
  })

  it('[KRG3] [K-08] what was not appended before a rotation goes out under the new key; a revoked device gets none of it', async () => {
    const { world, ann } = await meet(113)
    const second = await twin(world, ann, 'second')
    const third = await twin(world, ann, 'third')
    await world.run(30_000)
    third.goAway()
    await say(third, NOTES, 'written while away')
    const before = await pushed(world, second)
    const [own] = (await ann.face().devices()).filter(({ name }) => name === 'second')
    await world.until(ann.request('revokeDevice', { deviceId: own?.id ?? '' }))
    await world.run(30_000)
    await say(ann, NOTES, 'after the rotation')
    third.comeBack()
    await world.run(60_000)
    for (const device of [ann, third]) {
      expect((await textsOf(device, NOTES)).toSorted()).toEqual(['after the rotation', 'written while away'])
    }
    expect(await second.face().account()).toMatchObject({ state: 'revoked' })
    expect(await textsOf(second, NOTES)).toEqual([])
    expect(await pushed(world, ann)).toBeGreaterThan(before)
  })

  it('[KRG3] a revoked device and a realm that helps it put nothing more into the log: it is passed over and counted', async () => {
    const { world, ann } = await meet(114)
    const second = await twin(world, ann, 'second')
    await world.run(30_000)
    const { ring: old } = await readKeyRing(second.store())
    second.goAway()
    const [own] = (await ann.face().devices()).filter(({ name }) => name === 'second')
    await world.until(ann.request('revokeDevice', { deviceId: own?.id ?? '' }))
    await world.run(30_000)
    const [account, realm, log] = await Promise.all([
      readAccount(ann.store()),
      readRealm(ann.store()),
      ann.store().get('meta', 'log'),
    ])
    if (account === undefined || realm === undefined || log?.kind !== 'log') throw new UsageError('unreachable')
    const address = logAddressOf(old.logAddressSecret, realm.noiseKey)
    const note = {
      kind: 'line',
      at: log.lastStamp + 1,
      channel: notesAddress(account.account),
      order: 7,
      messageId: world.random.dice(16) as MessageId,
      author: account.account,
      atMs: 7,
      text: 'by a thief',
    } as const
    const position = log.position + 1
    const entry = { v: ENTRY_VERSION, by: world.random.dice(16) as DeviceId, deltas: [note] }
    const bytes = await sealEntry(newest(old), { address, position }, entry, world.random.dice)
    const last = { position, head: nextLogHead(log.head, position, bytes) }
    ann.forge = (operation) =>
      operation === 'log.fetch' ? { entries: [{ position, before: log.head, bytes }], last, more: false } : undefined
    ann.lose()
    await world.run(10_000)
    expect(await textsOf(ann, NOTES)).toEqual([])
    expect(await ann.store().get('meta', 'log')).toMatchObject({ refused: 1 })
    // Back with the realm's own log: what it told in between is not where that one leads, and nothing is lost by it.
    ann.forge = () => undefined
    await say(ann, NOTES, 'still mine')
    ann.lose()
    await world.run(60_000)
    expect(await textsOf(ann, NOTES)).toEqual(['still mine'])
    expect((await ann.lines(NOTES)).map((line) => line.kind === 'text' && line.state)).toEqual(['sent'])
  })
})
