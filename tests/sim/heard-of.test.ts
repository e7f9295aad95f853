import { describe, expect, it } from 'vitest'
import { unreadTotal } from '#app/channel/unread.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import { invite, meet, say, textsOf } from '../support/sim/meet.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { twin } from '../support/sim/twin.ts'

const DAY_MS = 24 * 60 * 60 * 1000

async function viewOf(device: SimDevice, id: string) {
  return (await device.face().channels()).find((channel) => channel.id === id)
}

async function personOf(device: SimDevice, name: string): Promise<string> {
  return (await device.face().people()).find((person) => person.name === name)?.id ?? ''
}

describe('[M-11] what this account wants to hear of', () => {
  it('muted: not counted until its time is over; the same on the other devices, and the later word counts', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(321)
    const phone = await twin(world, ann, 'phone')
    await world.run(60_000)
    const [onPhone = ''] = await phone.channelIds()
    const untilMs = world.timeline.nowMs + DAY_MS
    await world.until(ann.face().setMuted(ofAnn, { untilMs }))
    await say(bea, ofBea, 'psst')
    await world.run(60_000)
    for (const [device, id] of [
      [ann, ofAnn],
      [phone, onPhone],
    ] as const) {
      expect(await viewOf(device, id), device.name).toMatchObject({ muted: { untilMs }, lastText: 'psst', unread: 1 })
      expect(await unreadTotal(device.store(), world.timeline.nowMs), device.name).toBe(0)
      expect(await unreadTotal(device.store(), untilMs), device.name).toBe(1)
    }
    await world.until(phone.face().setMuted(onPhone, false))
    await world.run(60_000)
    expect(await viewOf(ann, ofAnn)).not.toHaveProperty('muted')
    await world.until(ann.face().setMuted(ofAnn, {}))
    await world.run(60_000)
    expect(await viewOf(phone, onPhone)).toMatchObject({ muted: {} })
  })

  it('archived: until something new is said, by whichever side', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(322)
    await say(bea, ofBea, 'one')
    await world.run(10_000)
    await world.until(ann.face().setArchived(ofAnn, true))
    expect(await viewOf(ann, ofAnn)).toMatchObject({ archived: true })
    await world.until(bea.request('heal', { channelId: ofBea }))
    await world.run(60_000)
    expect(await viewOf(ann, ofAnn), 'keys are nothing new').toMatchObject({ archived: true })
    await say(bea, ofBea, 'two')
    await world.run(10_000)
    expect(await viewOf(ann, ofAnn)).not.toHaveProperty('archived')
    await world.until(ann.face().setArchived(ofAnn, true))
    await say(ann, ofAnn, 'three')
    await world.run(10_000)
    expect(await viewOf(ann, ofAnn)).not.toHaveProperty('archived')
  })

  it('blocked: what they say is kept and not shown, they hear nothing of it, and get in by no other way', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(323)
    const phone = await twin(world, ann, 'phone')
    await world.run(60_000)
    await say(bea, ofBea, 'before')
    await world.run(60_000)
    const id = await personOf(ann, 'bea')
    await world.until(ann.face().setBlocked(id, true))
    await world.run(60_000)
    await say(bea, ofBea, 'while blocked')
    await world.run(60_000)
    const [onPhone = ''] = await phone.channelIds()
    for (const [device, channelId] of [
      [ann, ofAnn],
      [phone, onPhone],
    ] as const) {
      expect(await textsOf(device, channelId), device.name).toEqual([])
      expect(await unreadTotal(device.store(), world.timeline.nowMs), device.name).toBe(0)
      expect(await viewOf(device, channelId), device.name).toMatchObject({ blocked: true, lastText: 'before' })
      expect((await device.face().people())[0], device.name).toMatchObject({ blocked: true })
    }
    expect((await bea.lines(ofBea)).at(-1)).toMatchObject({ text: 'while blocked', state: 'sent' })

    await world.until(bea.request('acceptInvitation', { link: await invite(world, ann) }))
    await world.run(60_000)
    expect(await ann.channelIds()).toEqual([ofAnn])
    const theirs = world.until(ann.request('acceptInvitation', { link: await invite(world, bea) }))
    await expect(theirs).rejects.toMatchObject({ code: 'person/blocked' })

    await world.until(ann.face().setBlocked(id, false))
    await say(bea, ofBea, 'after')
    await world.run(60_000)
    expect(await textsOf(ann, ofAnn)).toEqual(['before', 'while blocked', 'after'])
    expect(await textsOf(phone, onPhone)).toEqual(['before', 'while blocked', 'after'])
    await expect(ann.face().setBlocked(toBase64url(new Uint8Array(32)), true)).rejects.toMatchObject({
      code: 'person/unknown',
    })
  })

  it('[C-12] an invitation tells which conversation came of it', async () => {
    const { world, ann, bea } = await meet(324)
    const link = await invite(world, ann)
    await world.until(bea.request('acceptInvitation', { link }))
    await world.run(60_000)
    const made = (await ann.face().invitations()).find((one) => one.link === link)
    expect(made?.state).toBe('used')
    expect(await ann.channelIds()).toContain(made?.channelId)
  })
})
