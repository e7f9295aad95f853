import { describe, expect, it } from 'vitest'
import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { RelayError } from '#core/errors.ts'
import { members } from '#core/mls/index.ts'
import { deviceIdOf } from '../support/sim/company.ts'
import { groupOf } from '../support/sim/forged-commit.ts'
import { groupIdOf } from '../support/sim/many-devices.ts'
import { say, textsOf } from '../support/sim/meet.ts'
import { viewsOf } from '../support/sim/one-view.ts'
import { acquaint, circle, identity, personId, personIds } from '../support/sim/people.ts'
import type { SimDevice } from '../support/sim/sim-device.ts'
import { twin } from '../support/sim/twin.ts'
import type { World } from '../support/sim/world.ts'

const busy = new RelayError('relay/busy', { retryable: true })

/** ann has lost her phone and signed it out; that her manifest says so is all that has come of it. Two others moderate. */
async function lostPhone(seed: number) {
  const { world, first: ann, others } = await circle(seed, ['ann', 'ben', 'cid'])
  const phone = await twin(world, ann, 'phone')
  const [ben, cid] = others
  if (ben === undefined || cid === undefined) throw new Error('unreachable')
  const dan = await identity(world, 'dan')
  await acquaint(world, cid, [dan])
  await acquaint(world, dan, [cid, ann, ben])
  const { channelId } = await world.until(
    ann.request('createGroup', { title: 'Walks', members: await personIds(others) }),
  )
  await world.run(90_000)
  for (const other of others) {
    await world.until(ann.request('setRole', { channelId, id: await personId(other), role: 'owner' }))
  }
  await world.run(90_000)
  expect(await devicesAt(ben)).toContain(await deviceIdOf(phone))
  const lost = (await deviceIdOf(phone)) ?? ''
  const told = new Set(['account.put', 'account.get', 'session.hello'])
  ann.forge = (operation) => (told.has(operation) ? undefined : busy)
  phone.forge = (operation) => (operation === 'account.get' ? busy : undefined) // whoever has it lets it hear of nothing
  await ann.request('revokeDevice', { deviceId: lost })
  await world.run(60_000)
  ann.goAway()
  return { world, ann, ben, cid, dan, phone, lost, all: [ann, ben, cid] }
}

async function devicesAt(device: SimDevice): Promise<string[]> {
  const group = await groupOf(device, await groupIdOf(device))
  return members(group).map(({ deviceId }) => toBase64url(deviceId))
}

async function wantsOut(device: SimDevice): Promise<boolean> {
  const sync = await device.store().get('syncs', await groupIdOf(device))
  return sync?.wanted.some(({ want }) => want === 'remove') === true
}

/** By whatever way the account's newest manifest comes to a contact. */
async function learns(world: World, device: SimDevice, of: SimDevice): Promise<void> {
  const account = await of.store().get('meta', 'account')
  if (account?.kind !== 'account') throw new Error(`${of.name} has no account`)
  device.kill()
  const store = device.store()
  await store.takeOver()
  const contacts = await store.list('contacts')
  const known = contacts.find(({ record }) => equalBytes(record.account, account.account))
  if (known === undefined) throw new Error(`${device.name} does not know ${of.name}`)
  const { manifest, sequence } = account
  await store.write([{ put: 'contacts', key: known.key, record: { ...known.record, manifest, sequence } }])
  await world.run(5_000)
  expect(await wantsOut(device), `${device.name} has learnt of it`).toBe(true)
}

describe('[RMV1] [C-04] two members who learn of a revocation at different times', () => {
  it('call nothing void that the other does not: what the revoked device and whoever has not heard commit meanwhile counts for both', async () => {
    const { world, ann, ben, cid, dan, phone, lost, all } = await lostPhone(501)
    cid.forge = (operation) => (operation === 'account.get' ? busy : undefined)
    ben.forge = (operation) => (operation === 'channel.commit' ? busy : undefined)
    await learns(world, ben, ann)
    const before = (await ben.store().get('syncs', await groupIdOf(ben)))?.commits ?? 0

    await world.until(phone.request('heal', { channelId: await groupIdOf(phone) }))
    await world.run(10_000)
    const added = { channelId: await groupIdOf(cid), ids: [await personId(dan)] }
    cid.forge = () => undefined // to add somebody it asks the directory for that one
    await world.until(cid.request('addMembers', added))
    cid.forge = (operation) => (operation === 'account.get' ? busy : undefined)
    await world.run(10_000)
    const now = await ben.store().get('syncs', await groupIdOf(ben))
    expect(now?.commits, 'both commits are ordered').toBeGreaterThanOrEqual(before + 2)
    expect((await viewsOf([ben, cid, phone])).size, 'and counted by who knows and who does not').toBe(1)
    expect(await devicesAt(ben)).toContain(lost)

    ben.forge = () => undefined
    ben.lose()
    await world.run(120_000)
    expect(await devicesAt(ben)).not.toContain(lost)
    expect(await devicesAt(cid)).not.toContain(lost)
    cid.forge = () => undefined
    ann.forge = () => undefined
    ann.comeBack()
    await world.run(120_000)
    expect((await viewsOf([...all, dan])).size).toBe(1)
    await say(ben, await groupIdOf(ben), 'just us')
    await world.run(30_000)
    for (const device of [...all, dan]) expect(await textsOf(device, await groupIdOf(device))).toContain('just us')
    expect(await textsOf(phone, await groupIdOf(phone))).not.toContain('just us')
  })

  it('both put it out at the same moment: one commit does, the other one is let go', async () => {
    const { world, ann, ben, cid, lost, all } = await lostPhone(502)
    for (const device of [ben, cid]) device.forge = (operation) => (operation === 'channel.commit' ? busy : undefined)
    await learns(world, ben, ann)
    await learns(world, cid, ann)
    const before = (await ben.store().get('syncs', await groupIdOf(ben)))?.lastCommit
    for (const device of [ben, cid]) device.forge = () => undefined
    for (const device of [ben, cid]) device.lose()
    await world.run(120_000)
    ann.forge = () => undefined
    ann.comeBack()
    await world.run(120_000)
    expect((await viewsOf(all)).size).toBe(1)
    expect(await devicesAt(ann)).not.toContain(lost)
    expect((await cid.store().get('syncs', await groupIdOf(cid)))?.lastCommit).toBeGreaterThan(before ?? 0)
    for (const device of [ben, cid]) expect(await wantsOut(device), device.name).toBe(false)
  })
})
