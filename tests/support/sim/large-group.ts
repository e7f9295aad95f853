import { toBase64url } from '#core/bytes/base64url.ts'
import { SUITE_CLASSICAL } from '#core/mls/index.ts'
import { groupIdOf } from './many-devices.ts'
import { say, textsOf } from './meet.ts'
import { watchNonces } from './nonce-checker.ts'
import { acquaint, identity, personId } from './people.ts'
import { knows, phantoms } from './phantoms.ts'
import type { SimDevice } from './sim-device.ts'
import { World } from './world.ts'
import { writtenBytes } from './written.ts'

export type LargeOutcome = {
  readonly faults: readonly string[]
  readonly commits: number // by which all came in
  readonly sendBytes: number // what a message writes on the disk of who sends it, and of who reads it
  readonly openBytes: number
}

/** A message, its text apart, may write so much, however many there are (C-02). */
const MAX_MESSAGE_BYTES = 4 * 1024
const RUNNING = 3
const GREETINGS = ['hello', 'hello all', 'and once more']

/**
 * A life of a group of so many devices, of which three run: it is made, talked in, somebody is removed, somebody comes in,
 * somebody loses the state and comes back by what another one leaves.
 */
export async function largeGroup(seed: number, devices: number): Promise<LargeOutcome> {
  const faults: string[] = []
  const check = (is: boolean, fault: string): void => void (is || faults.push(fault))
  const world = await World.make(seed)
  const nonces = watchNonces(world)
  const [ann, bea, cid] = [await identity(world, 'ann'), await identity(world, 'bea'), await identity(world, 'cid')]
  const caller = world.relay.connect(() => {})
  const { dice } = world.random.fork()
  const silent = await phantoms(devices - RUNNING + 1, {
    caller,
    dice,
    nowMs: world.timeline.nowMs,
    suite: SUITE_CLASSICAL,
  })
  await acquaint(world, ann, [bea, cid])
  for (const device of [bea, cid]) await acquaint(world, device, [ann])
  await knows(ann, silent)
  await world.run(10_000)
  let commits = 0
  world.onRequest((device, operation) => {
    if (device === ann && operation === 'channel.commit') commits++
  })
  const ids = silent.map(({ account }) => toBase64url(account))
  const [last = '', ...others] = ids
  const members = [await personId(bea), await personId(cid), ...others]
  const { channelId, missing } = await world.until(
    ann.request('createGroup', { title: 'All', members, large: true }),
    3_600_000,
  )
  await world.run(120_000)
  const made = commits
  const count = async (device: SimDevice) => {
    const details = await device.face().channelDetails(await groupIdOf(device))
    return details.members.length
  }
  check(missing.length === 0, `${missing.length} missing`)
  for (const device of [ann, bea, cid])
    check((await count(device)) === devices, `${device.name} sees ${await count(device)}`)

  // What else happens by chance, a newcomer's commit for one, is not of the message: the least of some is.
  let [sendBytes, openBytes] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (const text of GREETINGS) {
    const [sent, read] = [written(ann), written(bea)]
    await say(ann, channelId, text)
    await world.run(30_000)
    sendBytes = Math.min(sendBytes, sent())
    openBytes = Math.min(openBytes, read())
  }
  check(sendBytes <= MAX_MESSAGE_BYTES, `sending writes ${sendBytes} bytes`)
  check(openBytes <= MAX_MESSAGE_BYTES, `opening writes ${openBytes} bytes`)

  await world.until(ann.request('removeMember', { channelId, id: await personId(cid) }))
  await world.until(ann.request('addMembers', { channelId, ids: [last] }))
  await world.run(60_000)
  await say(ann, channelId, 'without cid')
  await world.run(30_000)
  check((await count(ann)) === devices, `${await count(ann)} after one went and one came`)
  check(!(await textsOf(cid, await groupIdOf(cid))).includes('without cid'), 'who was removed reads on')

  const id = await groupIdOf(bea)
  bea.kill()
  const rows = await bea.store().list('epochs', { of: id })
  await bea.disk.write(
    rows.map(({ key }) => ({ delete: 'epochs', key }) as const),
    undefined,
  )
  await say(ann, channelId, 'into the dark')
  await world.run(30 * 60_000)
  await say(bea, id, 'here again')
  await world.run(30_000)
  const all = [...GREETINGS, 'without cid', 'into the dark', 'here again']
  for (const device of [ann, bea]) {
    const texts = (await textsOf(device, await groupIdOf(device))).filter((text) => text !== 'notice line')
    check(texts.join() === all.join(), `${device.name} reads ${texts.join(', ')}`)
  }
  const places = async (device: SimDevice) => {
    const sync = await device.store().get('syncs', await groupIdOf(device))
    return sync?.seats.map(({ leaf, seat }) => `${leaf} ${toBase64url(seat)}`).join()
  }
  check((await places(ann)) === (await places(bea)), 'rosters differ')
  const reused = await nonces.reused()
  check(reused.length === 0, `reused: ${reused.join(', ')}`)
  return { faults, commits: made, sendBytes, openBytes }
}

/** @returns what was written since, when it is asked */
function written({ disk }: SimDevice): () => number {
  let bytes = 0
  const before = disk.onWrite
  disk.onWrite = (changes) => {
    before(changes)
    bytes += writtenBytes(changes)
  }
  return () => bytes
}
