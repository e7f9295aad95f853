import { describe, expect, it } from 'vitest'
import { readAccount } from '#app/account/read-account.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import { linked } from '../support/sim/link.ts'
import { invite, meet, say, textsOf } from '../support/sim/meet.ts'
import { acquaint, identity } from '../support/sim/people.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { twin } from '../support/sim/twin.ts'
import { World } from '../support/sim/world.ts'

async function idOf(device: SimDevice): Promise<string> {
  return toBase64url((await readAccount(device.store()))?.account ?? new Uint8Array())
}

describe('people', () => {
  it('[K-11] compare one number and each other’s codes, and nobody is told but the own devices', async () => {
    const { world, ann, bea } = await meet(41)
    const tablet = await linked(world, ann, 'tablet')
    await world.run(60_000)
    const [idOfAnn, idOfBea] = [await idOf(ann), await idOf(bea)]
    const [beaAtAnn, annAtBea] = [await ann.face().person(idOfBea), await bea.face().person(idOfAnn)]
    expect(beaAtAnn.safetyNumber).toMatch(/^\d{60}$/)
    expect(beaAtAnn.safetyNumber).toBe(annAtBea.safetyNumber)
    expect(beaAtAnn).toMatchObject({ verified: false, stopped: false, sameName: false })

    const asked: string[] = []
    world.onRequest((device, operation) => asked.push(`${device.name} ${operation}`))
    expect(await world.until(ann.face().comparePersonCode(idOfBea, beaAtAnn.code))).toBe(false) // one's own
    expect(await world.until(ann.face().comparePersonCode(idOfBea, annAtBea.code))).toBe(true)
    await world.run(30_000)
    expect(asked).toContain('ann log.append')
    // What is asked of the log of manifests is asked whatever a person says.
    expect(asked.filter((one) => !/ (log|transparency)\./.test(one))).toEqual([])
    expect(await ann.face().person(idOfBea)).toMatchObject({ verified: true })
    expect(await tablet.face().person(idOfBea)).toMatchObject({ verified: true })
    expect(await bea.face().person(idOfAnn)).toMatchObject({ verified: false })

    await world.until(tablet.face().markVerified(idOfBea, false))
    await world.run(30_000)
    expect(await ann.face().person(idOfBea)).toMatchObject({ verified: false })
    await expect(world.until(ann.face().comparePersonCode(idOfBea, 'nonsense'))).rejects.toMatchObject({
      code: 'person/code',
    })
    await expect(ann.face().person(idOfAnn)).rejects.toMatchObject({ code: 'person/unknown' })
  })

  it('[K-12] somebody else who comes with a verified person’s name is another person, and nothing is sent until that was looked at', async () => {
    const world = await World.make(42)
    const names = { ann: 'Ann', bea: 'Bea', eve: ' bea' }
    const [ann, bea, eve] = await Promise.all(['ann', 'bea', 'eve'].map((name) => world.device(name)))
    if (ann === undefined || bea === undefined || eve === undefined) throw new Error('nobody')
    for (const device of [ann, bea, eve]) {
      const name = names[device.name as keyof typeof names]
      await world.until(device.request('createIdentity', { name, deviceName: 'laptop', deviceKind: 'web' }))
    }
    await world.until(bea.request('acceptInvitation', { link: await invite(world, ann) }))
    await world.run(60_000)
    const known = await ann.channelIds()
    await world.until(ann.face().markVerified(await idOf(bea), true))

    await world.until(eve.request('acceptInvitation', { link: await invite(world, ann) }))
    await world.run(60_000)
    const [ofEve = ''] = (await ann.channelIds()).filter((id) => !known.includes(id))
    expect(await ann.face().person(await idOf(bea))).toMatchObject({ verified: true, stopped: false, sameName: true })
    expect(await ann.face().person(await idOf(eve))).toMatchObject({
      ...{ verified: false, stopped: true, sameName: true },
      problem: { kind: 'same-name' },
    })
    await say(ann, ofEve, 'the secret')
    await say(ann, known[0] ?? '', 'to the real one')
    await world.run(10_000)
    expect((await ann.lines(ofEve)).at(-1)).toMatchObject({ state: 'failed', failure: 'contact/look' })
    const [atEve = ''] = await eve.channelIds()
    const [atBea = ''] = await bea.channelIds()
    expect(await textsOf(eve, atEve)).toEqual([])
    expect(await textsOf(bea, atBea)).toEqual(['to the real one'])
    await world.until(ann.face().lookedAt(await idOf(eve)))
    await say(ann, ofEve, 'so you are another one')
    await world.run(10_000)
    expect(await textsOf(eve, atEve)).toEqual(['so you are another one'])
  })

  it('[K-07] [MAN6] an old request that is accepted turns back nothing that is known of who asked', async () => {
    const world = await World.make(43)
    const [ann, bea] = [await identity(world, 'ann'), await identity(world, 'bea')]
    await acquaint(world, bea, [ann])
    await world.until(bea.request('createGroup', { title: 'Walks', members: [await idOf(ann)] }))
    await world.run(60_000)
    const asking = (await ann.face().channels()).find(({ kind }) => kind === 'group')?.id ?? ''
    await twin(world, bea, 'phone') // from here on there is a later manifest
    await world.run(60_000)
    await world.until(ann.request('acceptInvitation', { link: await invite(world, bea) }))
    const known = await ann.store().list('contacts')
    const { sequence } = (await ann.store().get('channels', asking))?.request ?? {}
    expect(known.map(({ record }) => record.sequence)).toEqual([(sequence ?? 0) + 1])
    await world.until(ann.request('acceptRequest', { channelId: asking }))
    expect(await ann.store().list('contacts')).toEqual(known)
    expect((await ann.store().get('channels', asking))?.request).toBeUndefined()
  })
})
