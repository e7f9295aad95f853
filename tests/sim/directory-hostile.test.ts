import { describe, expect, it } from 'vitest'
import { readAccount } from '#app/account/read-account.ts'
import type { AlarmView, PersonView } from '#app/face.ts'
import type { TransparencyRecord } from '#app/ports/records.ts'
import { checkProof } from '#app/transparency/proof-text.ts'
import { fromBase64url, toBase64url } from '#core/bytes/base64url.ts'
import { signingKeyFromSeed } from '#core/crypto/sign.ts'
import { generateDhKeyPair } from '#core/crypto/x25519.ts'
import { signCertificate } from '#core/identity/certificate.ts'
import { checkManifest, signManifest } from '#core/identity/manifest.ts'
import { encodeCbor } from '#core/wire/cbor.ts'
import { DEVICE_BYTES, type DeviceId } from '#core/wire/ids.ts'
import type { ArgsOf } from '#core/wire/operations.ts'
import { linked } from '../support/sim/link.ts'
import { type Lie, ManifestLog } from '../support/sim/manifest-log.ts'
import { invite, meet, say, textsOf } from '../support/sim/meet.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { World } from '../support/sim/world.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Two people who have met under a realm whose log is in the test's hands, with nothing left to do. */
async function meetUnder(seed: number) {
  const world = await World.make(seed)
  const log = new ManifestLog(fromBase64url(world.relay.env.LIST_KEY))
  const [ann, bea] = [await person(world, log, 'ann'), await person(world, log, 'bea')]
  const { channelId: ofBea } = await world.until(bea.request('acceptInvitation', { link: await invite(world, ann) }))
  await world.run(60_000)
  const [ofAnn = ''] = await ann.channelIds()
  return { world, log, ann, bea, ofAnn, ofBea }
}

async function person(world: World, log: ManifestLog, name: string): Promise<SimDevice> {
  const device = await world.device(name)
  log.serve(device)
  await world.until(device.request('createIdentity', { name, deviceName: 'laptop', deviceKind: 'web' }))
  await world.run(2_000)
  return device
}

async function accountOf(device: SimDevice) {
  const account = await readAccount(device.store())
  if (account === undefined) throw new Error(`${device.name} has no account`)
  return account
}

async function idOf(device: SimDevice): Promise<string> {
  return toBase64url((await accountOf(device)).account)
}

const alarmsOf = async (device: SimDevice): Promise<string[]> =>
  (await device.face().alarms()).map(({ kind, about, name }: AlarmView) => `${kind} ${name === '' ? about : name}`)

async function personAt(device: SimDevice, other: SimDevice): Promise<PersonView> {
  return device.face().person(await idOf(other))
}

/** What the directory gives for one account. */
function giving(account: Uint8Array, manifest: Uint8Array): Lie {
  return (operation, args) => {
    if (operation !== 'account.get') return undefined
    return toBase64url((args as ArgsOf<'account.get'>).account) === toBase64url(account) ? { manifest } : undefined
  }
}

/** By somebody who has the account's root: one device more than its own devices know of. */
async function withHiddenDevice(device: SimDevice): Promise<{ manifest: Uint8Array; sequence: number }> {
  const { rootSeed, manifest: bytes, account } = await accountOf(device)
  if (rootSeed === undefined) throw new Error('no root')
  const root = await signingKeyFromSeed(rootSeed)
  const manifest = await checkManifest(bytes)
  const sequence = manifest.sequence + 1
  const signing = await signingKeyFromSeed(new Uint8Array(32).fill(5))
  const deviceId = new Uint8Array(DEVICE_BYTES).fill(6) as DeviceId
  const certificate = await signCertificate({ account, deviceId, signatureKey: signing.publicKey, sequence }, root)
  const { publicKey: hpkeKey } = await generateDhKeyPair()
  const devices = [...manifest.devices, { certificate, hpkeKey }]
  return { manifest: await signManifest({ ...manifest, devices, sequence }, root), sequence }
}

async function verify(world: World, device: SimDevice, other: SimDevice): Promise<void> {
  await world.until(device.face().markVerified(await idOf(other), true))
}

describe('[K-13] a directory', () => {
  it('as the relay keeps it holds what is used, goes on from itself, and raises no alarm', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meet(30)
    const tablet = await linked(world, bea, 'tablet')
    for (let round = 0; round < 3; round++) {
      await say(ann, ofAnn, `by ann ${round}`)
      await say(bea, ofBea, `by bea ${round}`)
      await world.run(20_000)
      for (const device of [ann, bea, tablet]) device.lose()
      await world.run(5_000)
    }
    for (const device of [ann, bea, tablet]) {
      expect(await alarmsOf(device), device.name).toEqual([])
      expect(await device.store().list('views'), device.name).toEqual([])
      expect(await device.store().get('meta', 'transparency'), device.name).toMatchObject({ head: { size: 3 } })
      for (const { record } of await device.store().list('contacts')) expect(record.logged).toBe(record.sequence)
    }
  })

  it('that is honest raises no alarm, and its log is found to hold what is used', async () => {
    const { world, ann, bea, ofAnn, ofBea } = await meetUnder(31)
    await linked(world, bea, 'tablet')
    for (const [device, channelId] of [
      [ann, ofAnn],
      [bea, ofBea],
    ] as const) {
      await say(device, channelId, `by ${device.name}`)
      await world.run(20_000)
    }
    expect(await alarmsOf(ann)).toEqual([])
    expect(await alarmsOf(bea)).toEqual([])
    expect(await ann.store().list('views')).toEqual([])
    const [contact] = await ann.store().list('contacts')
    expect(contact?.record.sequence).toBe(2)
    expect(contact?.record.logged).toBe(2)
  })

  it('[TRC4] is not held against what comes while it is looked at: that may be of a longer log', async () => {
    const { world, log, ann, bea } = await meetUnder(30)
    const said = { by: (await accountOf(bea)).account, view: { size: 99, root: new Uint8Array(32).fill(1) } }
    let came = 0
    log.serve(ann, (operation) => {
      const later = { put: 'views', key: ['views', 'later'], value: encodeCbor(said) } as const
      if (operation === 'transparency.head' && came++ === 0) void ann.disk.write([later], undefined)
      return undefined
    })
    ann.lose()
    while (came === 0) await world.run(1_000)
    await world.run(2_000)
    expect(await alarmsOf(ann)).toEqual([])
    expect(await ann.store().list('views')).toHaveLength(1)
  })

  it('that swaps keys is caught by the next message, and what it gave takes the place of nothing', async () => {
    const { world, log, ann, bea, ofAnn, ofBea } = await meetUnder(32)
    const stranger = await person(world, log, 'eve')
    await verify(world, ann, bea)
    const [before] = await ann.store().list('contacts')
    const { account } = await accountOf(bea)
    log.serve(ann, giving(account, (await accountOf(stranger)).manifest))
    await linked(world, bea, 'tablet') // which comes into the channel, and says something there
    await say(bea, ofBea, 'I have a tablet now')
    await world.run(10_000)
    expect(await alarmsOf(ann)).toEqual(['key-swap bea'])
    const [after] = await ann.store().list('contacts')
    expect(after?.record.manifest).toEqual(before?.record.manifest)
    expect(await personAt(ann, bea)).toMatchObject({ verified: true, stopped: true, problem: { kind: 'key-swap' } })
    await say(ann, ofAnn, 'to whom?')
    await world.run(10_000)
    expect((await ann.lines(ofAnn)).at(-1)).toMatchObject({ state: 'failed', failure: 'contact/look' })
    expect(await textsOf(bea, ofBea)).not.toContain('to whom?')
    await world.until(ann.face().lookedAt(await idOf(bea)))
    const [line] = (await ann.lines(ofAnn)).slice(-1)
    await ann.face().retry(ofAnn, line?.id ?? '')
    await ann.request('wake', null)
    await world.run(10_000)
    expect(await textsOf(bea, ofBea)).toContain('to whom?')
  })

  it('that withholds a change is caught by the next message of whoever made it', async () => {
    const { world, log, ann, bea, ofBea } = await meetUnder(33)
    const { account, manifest } = await accountOf(bea)
    log.serve(ann, giving(account, manifest))
    await linked(world, bea, 'tablet')
    await say(bea, ofBea, 'I have a tablet now')
    await world.run(10_000)
    expect(await alarmsOf(ann)).toEqual(['withheld bea'])
  })

  it('that goes back to an older state is caught by the next message', async () => {
    const { world, log, ann, bea, ofAnn, ofBea } = await meetUnder(34)
    const { account, manifest } = await accountOf(bea)
    await linked(world, bea, 'tablet')
    await say(bea, ofBea, 'I have a tablet now')
    await world.run(10_000)
    const old = log.fork()
    old.size = 2
    old.serve(ann, giving(account, manifest))
    await say(bea, ofBea, 'and a phone')
    await linked(world, bea, 'phone')
    await say(bea, ofBea, 'there')
    await world.run(10_000)
    expect(await alarmsOf(ann)).toContain('rollback realm')
    await world.run(2 * DAY_MS)
    expect(await alarmsOf(ann)).toContain('rollback bea')
    const [contact] = await ann.store().list('contacts')
    expect(contact?.record.sequence).toBe(2)
    await world.until(ann.face().lookedAt('realm'))
    expect(await textsOf(ann, ofAnn)).toContain('there')
  })

  it.each([
    ['of one size', 1],
    ['of which one is longer', 3],
  ])(
    'that shows two people two logs %s is caught by the first message between them, on both sides',
    async (_what, more) => {
      const { world, log, ann, bea, ofAnn, ofBea } = await meetUnder(35)
      const other = log.fork()
      other.serve(bea)
      await person(world, log, 'cas')
      for (let n = 0; n < more; n++) await person(world, other, `dan ${n}`)
      for (const device of [ann, bea]) device.lose()
      await world.run(10_000)
      expect(await alarmsOf(ann)).toEqual([])
      expect(await alarmsOf(bea)).toEqual([])
      await say(bea, ofBea, 'hello')
      await world.run(10_000)
      expect(await alarmsOf(ann)).toEqual(['split-view bea'])
      await say(ann, ofAnn, 'hello')
      await world.run(10_000)
      expect(await alarmsOf(bea)).toEqual(['split-view ann'])
    },
  )

  it('that lists a hidden device in its log is seen by the account itself', async () => {
    const { world, log, bea, ofAnn, ann } = await meetUnder(36)
    const { account, manifest: shown } = await accountOf(bea)
    const hidden = await withHiddenDevice(bea)
    log.append(account, hidden.sequence, hidden.manifest)
    log.serve(bea, giving(account, shown))
    ann.lose()
    await world.run(10_000)
    await say(ann, ofAnn, 'hello')
    await world.run(10_000)
    expect(await alarmsOf(bea)).toEqual(['hidden-device own'])
  })

  it('that keeps a hidden device out of its log is caught by the next message of whom it was shown to', async () => {
    const { world, log, ann, bea, ofAnn, ofBea } = await meetUnder(37)
    const { account, manifest: shown } = await accountOf(bea)
    const hidden = await withHiddenDevice(bea)
    log.serve(bea, giving(account, shown))
    log.serve(ann, giving(account, hidden.manifest))
    await world.run(2 * DAY_MS) // the daily look-up
    ann.lose()
    await world.run(10_000)
    const [contact] = await ann.store().list('contacts')
    expect(contact?.record.sequence, 'ann believes it: the root has signed it').toBe(2)
    expect(await alarmsOf(bea)).toEqual([])
    await say(ann, ofAnn, 'hello')
    await world.run(10_000)
    expect(await alarmsOf(bea)).toEqual(['hidden-device own'])
    log.serve(bea)
    await linked(world, bea, 'tablet')
    await say(bea, ofBea, 'that was not me')
    await world.run(10_000)
    expect(await alarmsOf(ann)).toContain('key-swap bea')
  })

  it('[TRC11] that signs a head wrongly is named, and the head is not taken', async () => {
    const { world, log, ann, bea, ofBea } = await meetUnder(38)
    const before = await ann.store().get('meta', 'transparency')
    const foreign = new Uint8Array(32).fill(7)
    log.serve(ann, (operation) => (operation === 'transparency.head' ? log.signed(foreign) : undefined))
    await person(world, log, 'cas')
    ann.lose()
    await world.run(10_000)
    expect(await alarmsOf(ann)).toEqual(['unsigned realm'])
    expect(await ann.store().get('meta', 'transparency')).toMatchObject({ head: (before as TransparencyRecord).head })
    await say(bea, ofBea, 'hello')
    await world.run(10_000)
    expect(await alarmsOf(bea)).toEqual([])
  })

  it.each([
    ['names another key for its log', { listKey: new Uint8Array(32).fill(9) }],
    ['names none any more', {}],
  ])('[TRC11] that %s is named once, and taken as it is when the person has looked', async (_, named) => {
    const { world, log, ann } = await meetUnder(39)
    const relay = world.relay.connect(() => {})
    log.serve(ann, (operation, args) => {
      if (operation !== 'session.hello') return undefined
      return relay.call('session.hello', args as ArgsOf<'session.hello'>).then(({ incarnation, version }) => ({
        ...{ incarnation, version },
        ...named,
      }))
    })
    for (let i = 0; i < 3; i++) {
      ann.lose()
      await world.run(10_000)
    }
    expect(await alarmsOf(ann)).toEqual(['unsigned realm'])
    log.serve(ann)
    await world.until(ann.face().lookedAt('realm'))
    ann.lose()
    await world.run(10_000)
    expect(await alarmsOf(ann)).toEqual(['unsigned realm'])
    const { head } = (await ann.store().get('meta', 'transparency')) as TransparencyRecord
    expect(head?.size).toBe(log.leaves.length)
  })

  it.each([
    ['of one size', 1, 'ann'],
    ['of which one is longer, by whoever is shown the longer one', 3, 'bea'],
  ])('[TRC12] that shows two people two logs %s is shown to a third person by what it signed', async (_, more, who) => {
    const { world, log, ann, bea, ofAnn, ofBea } = await meetUnder(40)
    const other = log.fork()
    other.serve(bea)
    await person(world, log, 'cas')
    for (let n = 0; n < more; n++) await person(world, other, `dan ${n}`)
    for (const device of [ann, bea]) device.lose()
    await world.run(10_000)
    await say(bea, ofBea, 'hello')
    await say(ann, ofAnn, 'hello')
    await world.run(10_000)
    const [alarm] = await (who === 'ann' ? ann : bea).face().alarms()
    expect(alarm?.kind).toBe('split-view')
    const { listKey = new Uint8Array() } = await world.relay.connect(() => {}).call('session.hello', { version: 1 })
    expect(await checkProof(alarm?.proof ?? '')).toEqual(listKey)
  })

  it('[TRC12] whom a contact tells of a log that the realm never signed shows nobody anything', async () => {
    const { world, log, ann, bea, ofBea } = await meetUnder(41)
    const other = log.fork()
    await person(world, log, 'cas')
    await person(world, other, 'dan')
    const record = (await bea.store().get('meta', 'transparency')) as TransparencyRecord
    const head = { ...other.head, signature: new Uint8Array(64).fill(1) }
    bea.kill()
    const store = bea.store()
    await store.takeOver()
    await store.write([{ put: 'meta', key: 'transparency', record: { ...record, head } }])
    await say(bea, ofBea, 'I was shown this')
    await world.run(10_000)
    ann.lose()
    await world.run(10_000)
    expect(await alarmsOf(ann)).toEqual(['split-view bea'])
    for (const alarm of await ann.face().alarms()) expect(alarm).not.toHaveProperty('proof')
  })
})
