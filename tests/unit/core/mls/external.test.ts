import { createGroupInfoWithExternalPubAndRatchetTree, joinGroupExternal } from 'ts-mls/createCommit.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { equalBytes } from '#core/bytes/equal.ts'
import { encodeCommitData } from '#core/mls/commit-data.ts'
import { exportGroupInfo, type Group, groupIdOf, members, openMessage, rejoinGroup } from '#core/mls/index.ts'
import { generate } from '#core/mls/key-package.ts'
import { provider } from '#core/mls/provider.ts'
import { encodeMessage } from '#core/mls/wire.ts'
import {
  type Account,
  DAY_MS,
  type Device,
  deviceOf,
  follow,
  groupOf,
  makeAccount,
  makeDevice,
  merge,
  NO_SEATS,
  openText,
  restored,
  SUITES,
  say,
  stage,
  type World,
  withDevices,
  world,
} from './support.ts'

async function rejoin(w: World, from: Group, device: Device, account: Account, signer = device.signer) {
  const authenticatedData = { timeMs: w.nowMs, seatsHash: NO_SEATS, manifests: [account.manifest] }
  const info = restoredInfo(await exportGroupInfo(from))
  const { certificate } = device
  return rejoinGroup({ ...info, groupId: groupIdOf(from), signer, certificate, authenticatedData }, w.dice)
}

const restoredInfo = ({ groupInfo, tree }: { groupInfo: Uint8Array; tree: Uint8Array }) => ({
  groupInfo: groupInfo.slice(),
  tree: tree.slice(),
})

describe.each(SUITES)('[C-07] a device that lost its state, $name', ({ suite }) => {
  it('[MLS21] comes back by itself in place of its old leaf, and everybody goes on', async () => {
    const w = world(suite)
    const accounts = await Promise.all(['ann', 'ben', 'cid'].map((name) => makeAccount(name)))
    const [a, b, c] = await groupOf(w, accounts)
    const [, ben] = accounts
    if (!a || !b || !c || !ben) throw new Error('unreachable')
    const { commit, next } = await rejoin(w, a, deviceOf(ben), ben)
    const opened = await openMessage(a, commit, w.nowMs)
    expect(opened).toMatchObject({
      kind: 'commit',
      removed: [{ leaf: 1 }],
      added: [{ leaf: 1 }],
      from: { leaf: 1 },
      removedSelf: false,
    })
    const [newA, newB, newC] = [opened.next, next, await follow(w, c, commit)].map(restored)
    if (!newA || !newB || !newC) throw new Error('unreachable')
    expect(members(newB)).toHaveLength(3)
    expect(await openMessage(b, commit, w.nowMs), 'the state that was lost learns that it is').toMatchObject({
      removedSelf: true,
    })
    const said = await say(w, newB, 'back again')
    for (const group of [newA, newC]) expect((await openText(w, group, said.message)).text).toBe('back again')
    const healing = await stage(w, newC)
    expect(await follow(w, newB, healing.commit)).toBeDefined()
    const own = await stage(w, newB)
    const after = await merge(newB, own)
    expect((await openText(w, await follow(w, newA, own.commit), (await say(w, after, 'on')).message)).text).toBe('on')
  })

  it('[MLS21] brings in another device of a member account', async () => {
    const w = world(suite)
    const accounts = await Promise.all(['ann', 'ben'].map((name) => makeAccount(name)))
    const [a, b] = await groupOf(w, accounts)
    const [, ben] = accounts
    if (!a || !b || !ben) throw new Error('unreachable')
    const second = await makeDevice(ben.root)
    const grown = await withDevices(ben.root, [...ben.devices, second], 2)
    const { commit, next } = await rejoin(w, b, second, grown)
    const said = await say(w, next, 'second device')
    for (const group of [a, b])
      expect((await openText(w, await follow(w, group, commit), said.message)).text).toBe('second device')
  })
})

describe('[C-04] an external commit that every member refuses', () => {
  const w = world()
  let accounts: Account[]
  let groups: Group[]

  beforeAll(async () => {
    accounts = await Promise.all(['ann', 'ben', 'cid'].map((name) => makeAccount(name)))
    groups = await groupOf(w, accounts)
  })

  /** By somebody who holds a GroupInfo and follows no rule but MLS's own. */
  async function forge(
    device: Device,
    manifests: Uint8Array[],
    evicts?: number,
    timeMs = w.nowMs,
  ): Promise<Uint8Array> {
    const [group] = groups
    if (group === undefined) throw new Error('no group')
    const { signer, certificate } = device
    const input = { suite: w.suite, signer, certificate, nowMs: w.nowMs, lifetimeMs: DAY_MS }
    const { publicPackage, privatePackage } = await generate(input, w.dice)
    const careless = {
      ...group.state.clientConfig,
      authService: { validateCredential: async () => true },
      keyPackageEqualityConfig: {
        compareKeyPackages: () => false,
        compareKeyPackageToLeafNode: (_: unknown, leaf: { signaturePublicKey: Uint8Array }) => {
          const node = group.state.ratchetTree[2 * (evicts ?? -1)]
          return node?.nodeType === 'leaf' && equalBytes(node.leaf.signaturePublicKey, leaf.signaturePublicKey)
        },
      },
    }
    const cs = provider(w.suite, { dice: w.dice, signer: group.signer })
    const info = await createGroupInfoWithExternalPubAndRatchetTree(group.state, [], cs)
    const data = encodeCommitData({ timeMs, seatsHash: NO_SEATS, manifests })
    const theirs = provider(w.suite, { dice: w.dice, signer })
    const isResync = evicts !== undefined
    const made = await joinGroupExternal(
      info,
      publicPackage,
      privatePackage,
      isResync,
      theirs,
      undefined,
      careless,
      data,
    )
    return encodeMessage({ wireformat: 'mls_public_message', publicMessage: made.publicMessage })
  }

  async function verdicts(commit: Uint8Array): Promise<string> {
    const said = await Promise.all(
      groups.map((group) =>
        openMessage(group, commit, w.nowMs).then(
          () => 'accepted',
          (error: { code?: string; message: string }) => error.code ?? error.message,
        ),
      ),
    )
    return [...new Set(said)].join()
  }

  const accountAt = (index: number): Account => accounts[index] ?? accounts[0] ?? (undefined as never)

  it('[MLS21] an outsider does not come in, and evicts nobody', async () => {
    const eve = await makeAccount('eve')
    expect(await verdicts(await forge(deviceOf(eve), [eve.manifest]))).toBe('mls/policy/external-account')
    expect(await verdicts(await forge(deviceOf(eve), [eve.manifest], 2))).toBe('mls/policy/external-account')
  })

  it('[MLS21] a member does not evict another one by it', async () => {
    const ben = accountAt(1)
    const second = await makeDevice(ben.root)
    const grown = await withDevices(ben.root, [...ben.devices, second], 2)
    expect(await verdicts(await forge(second, [grown.manifest], 2))).toBe('mls/policy/external-remove')
    expect(await verdicts(await forge(second, [grown.manifest]))).toBe('accepted')
  })

  it('[MLS21] a device does not come in beside its own old leaf', async () => {
    const ben = accountAt(1)
    expect(await verdicts(await forge(deviceOf(ben), [ben.manifest]))).toBe('mls/policy/external-remove')
  })

  it('[MLS21] a device that its manifest does not list stays out, and so does an older manifest', async () => {
    const ben = accountAt(1)
    const second = await makeDevice(ben.root)
    expect(await verdicts(await forge(second, [ben.manifest]))).toBe('mls/policy/not-listed')
    expect(await verdicts(await forge(second, []))).toBe('mls/policy/manifest-missing')
    const older = await withDevices(ben.root, [...ben.devices, second], 0)
    expect(await verdicts(await forge(second, [older.manifest]))).toBe('mls/policy/manifest-older')
  })

  it('[MLS8] [MLS7] nor at an earlier time, nor for another epoch', async () => {
    const ben = accountAt(1)
    const commit = await forge(deviceOf(ben), [ben.manifest], 1)
    expect(await verdicts(commit)).toBe('accepted')
    expect(await verdicts(await forge(deviceOf(ben), [ben.manifest], 1, w.nowMs - 1))).toBe('mls/policy/time')
    const [a] = groups
    if (a === undefined) throw new Error('no group')
    const later = await merge(a, await stage(w, a))
    await expect(openMessage(later, commit, w.nowMs)).rejects.toThrow('mls/policy/epoch')
  })

  it('[MLS21] the joiner checks what it is given: the group, the signer, the tree', async () => {
    const [a] = groups
    const ben = accountAt(1)
    if (a === undefined) throw new Error('no group')
    const info = await exportGroupInfo(a)
    const authenticatedData = { timeMs: w.nowMs, seatsHash: NO_SEATS, manifests: [ben.manifest] }
    const { signer, certificate } = deviceOf(ben)
    const input = { ...info, groupId: groupIdOf(a), signer, certificate, authenticatedData }
    await expect(rejoinGroup({ ...input, groupId: new Uint8Array(32) }, w.dice)).rejects.toThrow('mls/policy/group-id')
    const bent = info.groupInfo.with(-1, (info.groupInfo.at(-1) ?? 0) ^ 1)
    await expect(rejoinGroup({ ...input, groupInfo: bent }, w.dice)).rejects.toThrow('mls/group-info')
    const other = await merge(a, await stage(w, a))
    const { tree } = await exportGroupInfo(other)
    await expect(rejoinGroup({ ...input, tree }, w.dice)).rejects.toThrow('mls/group-info')
  })
})
