import { describe, expect, it } from 'vitest'
import { toHex } from '#core/bytes/hex.ts'
import { encodeBody } from '#core/message/body.ts'
import { encodeCbor } from '#core/wire/cbor.ts'
import { MESSAGE_ID_BYTES, type MessageId, POST_ID_BYTES } from '#core/wire/ids.ts'
import type { ArgsOf } from '#core/wire/operations.ts'
import { meet, say, textsOf } from '../support/sim/meet.ts'
import { twin } from '../support/sim/twin.ts'

describe('a device that comes back', () => {
  it('[C-07] [I-04] stores the commit before it leaves: after a crash the very same one goes out again, and counts once', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(541)
    const before = (await ann.store().get('syncs', ofAnn))?.commits ?? 0
    const sent = new Set<string>()
    let asked = 0
    world.onRequest((device, operation, args) => {
      if (device !== bea || operation !== 'channel.enter') return
      sent.add(toHex((args as ArgsOf<'channel.enter'>).envelope))
      if (++asked === 1) bea.crashAt(1, 'before') // it is ordered, and this device never hears so
    })
    bea.kill()
    const rows = await bea.store().list('epochs', { of: ofBea })
    await bea.disk.write(
      rows.map(({ key }) => ({ delete: 'epochs', key }) as const),
      undefined,
    )
    await world.run(120_000)
    expect(bea.crashes).toBe(2)
    expect(asked).toBe(2)
    expect(sent.size).toBe(1)
    expect((await ann.store().get('syncs', ofAnn))?.commits).toBe(before + 1)
    await say(ann, ofAnn, 'welcome back')
    await world.run(10_000)
    expect(await textsOf(bea, ofBea)).toContain('welcome back')
  })
})

describe('a receipt by a device of the own account', () => {
  it('[MSG8] [M-10] makes nothing delivered: nobody else has it', async () => {
    const { world, ann, bea, ofAnn } = await meet(542)
    const phone = await twin(world, ann, 'phone')
    await world.run(60_000)
    const [onPhone = ''] = await phone.channelIds()
    bea.goAway()
    await say(ann, ofAnn, 'is anybody there?')
    await world.run(20_000)
    const [line] = await ann.store().list('lines', { of: ofAnn, newestFirst: true, limit: 1 })
    const id = world.random.dice(MESSAGE_ID_BYTES) as MessageId
    const delivered = [line?.record.messageId as MessageId]
    const body = encodeBody({ v: 1, id, atMs: world.timeline.nowMs, kind: 'receipt', delivered })
    const record = { postId: world.random.dice(POST_ID_BYTES), body, attempts: 0 }
    await phone.disk.write([{ put: 'outbox', key: [onPhone, 1001], value: encodeCbor(record) }], undefined)
    phone.lose()
    await world.run(60_000)
    expect(await phone.store().list('outbox'), 'it went out').toEqual([])
    expect((await ann.lines(ofAnn)).at(-1)).toMatchObject({ text: 'is anybody there?', state: 'sent' })
    bea.comeBack()
    await world.run(60_000)
    expect((await ann.lines(ofAnn)).at(-1)).toMatchObject({ text: 'is anybody there?', state: 'delivered' })
  })
})
