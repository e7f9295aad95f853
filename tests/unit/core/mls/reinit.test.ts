import { describe, expect, it } from 'vitest'
import {
  createSuccessor,
  type Group,
  joinGroup,
  joinSuccessor,
  members,
  openMessage,
  SUITE_CLASSICAL,
  SUITE_XWING,
  type SuiteId,
  stageReinit,
  successorOf,
} from '#core/mls/index.ts'
import { forge } from './forge.ts'
import {
  type Account,
  create,
  type Device,
  deviceOf,
  follow,
  groupOf,
  makeAccount,
  merge,
  NO_SEATS,
  openText,
  packageOf,
  restored,
  say,
  stage,
  type World,
  world,
} from './support.ts'

async function setUp(from: SuiteId, to: SuiteId) {
  const w = world(from)
  const next = { ...w, suite: to }
  const accounts = await Promise.all(['ann', 'ben', 'cid'].map((name) => makeAccount(name)))
  const groups = await groupOf(w, accounts)
  const [a, b, c] = groups
  const [ann, ben, cid] = accounts
  if (!a || !b || !c || !ann || !ben || !cid) throw new Error('unreachable')
  const data = (manifests: Uint8Array[] = []) => ({ timeMs: w.nowMs, seatsHash: NO_SEATS, manifests })
  const successor = { groupId: w.dice(32), suite: to }
  return { w, next, a, b, c, ann, ben, cid, data, successor }
}

async function succeed(
  w: World,
  old: Group,
  ann: Account,
  others: readonly Account[],
  data: Parameters<typeof stage>[2],
) {
  const made = await Promise.all(others.map((account) => packageOf(w, deviceOf(account))))
  const authenticatedData = { timeMs: w.nowMs, seatsHash: NO_SEATS, manifests: data?.manifests ?? [] }
  const adds = made.map(({ keyPackage }) => keyPackage)
  const staged = await createSuccessor(old, { certificate: deviceOf(ann).certificate, adds, authenticatedData }, w.dice)
  const inputFor = (i: number, device: Device) => {
    const own = made[i]
    const welcome = staged.welcomes.find(({ keyPackageRef }) => keyPackageRef.join() === own?.ref.join())?.welcome
    if (own === undefined || welcome === undefined) throw new Error('no welcome')
    return { welcome, tree: staged.tree, keyPackage: own.keyPackage, secret: own.secret, signer: device.signer }
  }
  return { staged, inputFor }
}

describe.each([
  { way: 'classical to X-Wing', from: SUITE_CLASSICAL, to: SUITE_XWING },
  { way: 'X-Wing to classical', from: SUITE_XWING, to: SUITE_CLASSICAL },
] as const)('[MLS20] ReInit, $way', ({ from, to }) => {
  it('everybody goes over to the successor, and the old group is only read any more', async () => {
    const { w, next, a, b, c, ann, ben, cid, data, successor } = await setUp(from, to)
    const late = await say(w, c, 'late')
    const ending = await stageReinit(a, { successor, authenticatedData: data([ben.manifest, cid.manifest]) }, w.dice)
    const opened = await openMessage(b, ending.commit, w.nowMs)
    expect(opened).toMatchObject({ kind: 'commit', successor })
    const [oldA, oldB, oldC] = [await merge(a, ending), opened.next, await follow(w, late.next, ending.commit)].map(
      restored,
    )
    if (!oldA || !oldB || !oldC) throw new Error('unreachable')
    expect(successorOf(oldB)).toEqual(successor)
    await expect(say(w, oldB, 'x')).rejects.toThrow('mls/succeeded')
    await expect(stage(w, oldB)).rejects.toThrow('mls/succeeded')
    expect((await openText(w, oldB, late.message)).text).toBe('late')

    const { staged, inputFor } = await succeed(next, oldA, ann, [ben, cid], { manifests: [ben.manifest, cid.manifest] })
    const more = await forge(w, { ...oldB, state: { ...oldB.state, groupActiveState: { kind: 'active' } } })
    await expect(openMessage(oldA, more, w.nowMs)).rejects.toThrow('mls/policy/succeeded')
    const newB = restored(await joinSuccessor(oldB, inputFor(0, deviceOf(ben))))
    const newC = restored(await joinSuccessor(oldC, inputFor(1, deviceOf(cid))))
    expect([newB.suite, members(newB).map(({ role }) => role)]).toEqual([to, members(a).map(({ role }) => role)])
    const said = await say(next, staged.next, 'here')
    for (const group of [newB, newC]) expect((await openText(next, group, said.message)).text).toBe('here')
    const healing = await stage(next, newC)
    expect((await openMessage(newB, healing.commit, w.nowMs)).kind).toBe('commit')
  })

  it('is an owner’s to say, and a group that is not bound to the old one is no successor', async () => {
    const { w, next, a, b, c, ann, ben, cid, data, successor } = await setUp(from, to)
    await expect(stageReinit(b, { successor, authenticatedData: data() }, w.dice)).rejects.toThrow(
      'mls/policy/role-reinit',
    )
    const { extensions } = b.state.groupContext
    const reinit = {
      groupId: successor.groupId,
      version: 'mls10' as const,
      cipherSuite: b.state.groupContext.cipherSuite,
      extensions,
    }
    const forged = await forge(w, b, { proposals: [{ proposalType: 'reinit', reinit }] })
    for (const group of [a, c])
      await expect(openMessage(group, forged, w.nowMs)).rejects.toThrow('mls/policy/role-reinit')
    const foreign = { ...reinit, cipherSuite: 'MLS_128_DHKEMP256_AES128GCM_SHA256_P256' as const }
    const unknown = await forge(w, a, { proposals: [{ proposalType: 'reinit', reinit: foreign }] })
    await expect(openMessage(b, unknown, w.nowMs)).rejects.toThrow('mls/policy/suite')

    const ending = await stageReinit(a, { successor, authenticatedData: data([ben.manifest]) }, w.dice)
    const oldB = await follow(w, b, ending.commit)
    const impostor = await create(next, ann)
    const made = await packageOf(next, deviceOf(ben))
    const staged = await stage(next, impostor, { adds: [made.keyPackage], manifests: [ben.manifest] })
    const welcome = staged.welcomes[0]?.welcome ?? new Uint8Array()
    const { keyPackage, secret } = made
    const input = { welcome, tree: staged.tree, keyPackage, secret, signer: deviceOf(ben).signer }
    await expect(joinSuccessor(oldB, input)).rejects.toThrow('mls/policy/successor')

    const real = await succeed(next, await merge(a, ending), ann, [ben], { manifests: [ben.manifest] })
    await expect(
      joinGroup(real.inputFor(0, deviceOf(ben))),
      'nor is the successor joined as if it were new',
    ).rejects.toThrow('mls/welcome')
    const eve = await makeAccount('eve')
    const stranger = succeed(next, await merge(a, ending), ann, [eve], { manifests: [eve.manifest] })
    await expect(stranger, 'and nobody new comes in').rejects.toThrow('mls/policy/context')
    expect(cid.devices).toHaveLength(1)
  })
})
