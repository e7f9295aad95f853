import { createProposal } from 'ts-mls/createMessage.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { signManifest } from '#core/identity/manifest.ts'
import {
  type ChannelContext,
  changeContext,
  decodeChannelContext,
  encodeChannelContext,
  toExtension,
} from '#core/mls/channel-context.ts'
import {
  type Group,
  members,
  openMessage,
  type ProfileChange,
  type Role,
  readKeyPackage,
  SUITE_CLASSICAL,
  SUITE_XWING,
} from '#core/mls/index.ts'
import { decodeJoinTree, encodeJoinTree } from '#core/mls/join-tree.ts'
import { provider } from '#core/mls/provider.ts'
import { encodeMessage } from '#core/mls/wire.ts'
import type { DeviceId } from '#core/wire/ids.ts'
import { add, type Forgery, forge, forgePackage, remove, withCredential } from './forge.ts'
import {
  type Account,
  certify,
  create,
  DAY_MS,
  deviceOf,
  follow,
  groupOf,
  makeAccount,
  makeDevice,
  merge,
  packageOf,
  stage,
  withDevices,
  world,
} from './support.ts'

const w = world()
const VAULT = { phraseDoor: new Uint8Array(1216), generation: 1, keyRingHash: new Uint8Array(32) }
const [OWNER, ADMIN, MEMBER, OTHER] = [0, 1, 2, 3] as const
let accounts: Account[]
let groups: Group[]
let eve: Account

beforeAll(async () => {
  accounts = await Promise.all(['ann', 'ben', 'cid', 'dan'].map((name) => makeAccount(name)))
  groups = await groupOf(w, accounts, ['owner', 'admin', 'member', 'member'])
  eve = await makeAccount('eve')
})

function groupAt(index: number): Group {
  const group = groups[index]
  if (group === undefined) throw new Error('no such member')
  return group
}

function accountAt(index: number): Account {
  const account = accounts[index]
  if (account === undefined) throw new Error('no such account')
  return account
}

/** What every other member makes of it: they must all say the same. */
async function verdicts(by: number, commit: Uint8Array): Promise<string> {
  const others = groups.filter((_, i) => i !== by)
  const said = await Promise.all(
    others.map((group) =>
      openMessage(group, commit, w.nowMs).then(
        () => 'accepted',
        (error: { code?: string; message: string }) => error.code ?? error.message,
      ),
    ),
  )
  return [...new Set(said)].join()
}

const verdict = async (by: number, forgery: Forgery) => verdicts(by, await forge(w, groupAt(by), forgery))

const context = (change: (before: ChannelContext) => ChannelContext): Forgery['proposals'] => [
  {
    proposalType: 'group_context_extensions',
    groupContextExtensions: { extensions: [toExtension(change(groupAt(OWNER).context))] },
  },
]

/** A proper add of the account's first device, context change and all. */
const adding = (keyPackage: Uint8Array, account: Account): Forgery => ({
  proposals: [
    add(keyPackage),
    ...(context((before) =>
      changeContext(before, { manifests: [{ account: account.id, sequence: account.sequence }] }),
    ) ?? []),
  ],
  manifests: [account.manifest],
})

describe('[C-04] who may do what', () => {
  it('[MLS13] a member adds nobody of another account', async () => {
    const { keyPackage } = await packageOf(w, deviceOf(eve))
    expect(await verdict(MEMBER, adding(keyPackage, eve))).toBe('mls/policy/role-add')
    expect(await verdict(ADMIN, adding(keyPackage, eve))).toBe('accepted')
    await expect(
      stage(w, groupAt(MEMBER), { adds: [keyPackage], manifests: [eve.manifest] }),
      'nor does its own client try',
    ).rejects.toThrow('mls/policy/role-add')
  })

  it('[MLS13] a member adds a device of its own, and removes it', async () => {
    const { root, devices } = accountAt(MEMBER)
    const second = await makeDevice(root)
    const account = await withDevices(root, [...devices, second], 2)
    const made = await packageOf(w, second)
    const staged = await stage(w, groupAt(MEMBER), { adds: [made.keyPackage], manifests: [account.manifest] })
    expect(await verdicts(MEMBER, staged.commit)).toBe('accepted')
    const after = await merge(groupAt(MEMBER), staged)
    const other = await follow(w, groupAt(OTHER), staged.commit)
    const leaf = members(after).find(({ deviceId }) => deviceId.join() === second.deviceId.join())?.leaf
    const removal = await forge(w, after, { proposals: [remove(leaf ?? -1)] })
    expect(await openMessage(other, removal, w.nowMs)).toMatchObject({ kind: 'commit', removed: [{ leaf }] })
  })

  it('[MLS13] a member removes nobody, an admin no owner, an owner anybody', async () => {
    expect(await verdict(MEMBER, { proposals: [remove(OTHER)] })).toBe('mls/policy/role-remove')
    expect(await verdict(ADMIN, { proposals: [remove(OWNER)] })).toBe('mls/policy/role-remove')
    expect(await verdict(ADMIN, { proposals: [remove(MEMBER)] })).toBe('accepted')
    const demoted = context((before) => changeContext(before, { gone: [accountAt(ADMIN).id] })) ?? []
    expect(await verdict(OWNER, { proposals: [remove(ADMIN), ...demoted] })).toBe('accepted')
    expect(await verdict(OWNER, { proposals: [remove(ADMIN)] }), 'an admin who is removed is none any more').toBe(
      'mls/policy/context',
    )
  })

  it('[MLS13] anybody removes a device that its own account has revoked', async () => {
    const { root, id } = accountAt(OTHER)
    const revoked = await withDevices(root, [await makeDevice(root)], 2)
    const proposals = [
      remove(OTHER),
      ...(context((before) => changeContext(before, { manifests: [{ account: id, sequence: 2 }] })) ?? []),
    ]
    expect(await verdict(MEMBER, { proposals, manifests: [revoked.manifest] })).toBe('accepted')
  })

  it('[MLS23] [C-13] the profile is changed by owners and admins, and by what the commit says alone', async () => {
    const changing = (profile: ProfileChange): Forgery => ({
      profile,
      proposals: context((before) => changeContext(before, { profile })) ?? [],
    })
    expect(await verdict(MEMBER, changing({ title: 'mine' }))).toBe('mls/policy/role-profile')
    expect(await verdict(ADMIN, changing({ title: 'ours' }))).toBe('accepted')
    expect(await verdict(OWNER, changing({ timerMs: 60_000 }))).toBe('accepted')
    const { proposals = [] } = changing({ title: 'ours' })
    expect(await verdict(OWNER, { proposals }), 'a context that the commit does not speak of').toBe(
      'mls/policy/context',
    )
    expect(await verdict(OWNER, { profile: { title: 'ours' } }), 'and the other way round').toBe('mls/policy/context')
    expect(await verdict(OWNER, { ...changing({ topic: 'x' }), profile: { topic: 'y' } })).toBe('mls/policy/context')
  })

  it('[MLS4] roles change by an owner alone, and one owner is left', async () => {
    const changing = (index: number, role: Role): Forgery => {
      const roles = [{ account: accountAt(index).id, role }]
      return { roles, proposals: context((before) => changeContext(before, { roles })) ?? [] }
    }
    expect(await verdict(ADMIN, changing(MEMBER, 'admin'))).toBe('mls/policy/role-change')
    expect(await verdict(OWNER, changing(MEMBER, 'admin'))).toBe('accepted')
    expect(await verdict(OWNER, changing(OWNER, 'member'))).toBe('mls/policy/no-owner')
    const { roles = [] } = changing(MEMBER, 'admin')
    expect(await verdict(OWNER, { roles }), 'said, and not done').toBe('mls/policy/context')
    const { proposals = [] } = changing(MEMBER, 'admin')
    expect(await verdict(OWNER, { proposals }), 'done, and not said').toBe('mls/policy/context')
  })

  it('[MLS4] the kind never changes, and nothing else is put into the context', async () => {
    const kind = context((before) => ({ ...before, kind: 'direct' }))
    expect(await verdict(OWNER, { proposals: kind ?? [] })).toBe('mls/policy/context')
    const dropped = context((before) => ({ ...before, accounts: before.accounts.slice(1) }))
    expect(await verdict(OWNER, { proposals: dropped ?? [] })).toBe('mls/policy/context')
    const extensions = [{ extensionType: 'application_id' as const, extensionData: new Uint8Array(1) }]
    const other = { proposalType: 'group_context_extensions' as const, groupContextExtensions: { extensions } }
    expect(await verdict(OWNER, { proposals: [other] })).toBe('mls/policy/context')
  })

  it('[MLS13] a direct channel is for its two accounts', async () => {
    const [ann, ben] = [accountAt(OWNER), accountAt(ADMIN)]
    const direct = await create(w, ann, [{ account: ben.id, role: 'owner' }], 'direct')
    const third = await packageOf(w, deviceOf(eve))
    const staging = stage(w, direct, { adds: [third.keyPackage], manifests: [eve.manifest] })
    await expect(staging).rejects.toThrow('mls/policy/direct')
    const three = [ben.id, eve.id].map((account) => ({ account, role: 'owner' as const }))
    await expect(create(w, ann, three, 'direct')).rejects.toThrow('mls/context')
    const table = encodeChannelContext({ ...direct.context, accounts: direct.context.accounts.slice(1) })
    expect(() => decodeChannelContext(table), 'nor does a joiner take one that is not of two').toThrow(
      'channel-context/direct',
    )
    const second = await packageOf(w, deviceOf(ben))
    expect(await stage(w, direct, { adds: [second.keyPackage], manifests: [ben.manifest] })).toHaveProperty('commit')
  })
})

describe('[C-04] identities', () => {
  it('[MLS2] a certificate that another account signed is refused', async () => {
    const { keys, deviceId } = deviceOf(eve)
    const forged = await certify({ ...accountAt(OTHER).root, publicKey: eve.id }, keys, deviceId, 1)
    const keyPackage = await forgePackage(w, deviceOf(eve), { certificate: forged.certificate })
    expect(await verdict(OWNER, adding(keyPackage, eve))).toBe('mls/policy/certificate')
    await expect(readKeyPackage(keyPackage)).rejects.toThrow('mls/policy/certificate')
  })

  it("[MLS2] somebody else's certificate is refused: the leaf signs with another key", async () => {
    const fay = await makeAccount('fay')
    const stolen = await forgePackage(w, deviceOf(eve), { certificate: deviceOf(fay).certificate })
    await expect(readKeyPackage(stolen)).rejects.toThrow('mls/policy/signature-key')
    expect(await verdict(OWNER, adding(stolen, fay))).toBe('mls/policy/signature-key')
  })

  it('[MLS2] an update changes neither account, device nor signing key', async () => {
    const own = accountAt(MEMBER)
    const { keys } = deviceOf(own)
    const another = await certify(own.root, keys, new Uint8Array(16) as DeviceId, 9)
    for (const certificate of [another.certificate, deviceOf(accountAt(OWNER)).certificate]) {
      const state = withCredential(groupAt(MEMBER), certificate)
      expect(await verdict(MEMBER, { state })).toBe('mls/policy/identity-change')
    }
  })

  it('[MLS2] a later certificate of the same device may replace the old one, an earlier one not', async () => {
    const own = accountAt(MEMBER)
    const { keys, deviceId } = deviceOf(own)
    const later = await certify(own.root, keys, deviceId, 7)
    expect(await verdict(MEMBER, { state: withCredential(groupAt(MEMBER), later.certificate) })).toBe('accepted')
    const earlier = await certify(own.root, keys, deviceId, 0)
    const state = withCredential(groupAt(MEMBER), earlier.certificate)
    expect(await verdict(MEMBER, { state })).toBe('mls/policy/identity-change')
  })

  it('[MLS3] a leaf that claims other capabilities is refused', async () => {
    const keyPackage = await forgePackage(w, deviceOf(eve), { capabilities: { extensions: [0xf0a1, 0xf0ff] } })
    expect(await verdict(OWNER, adding(keyPackage, eve))).toBe('mls/policy/capabilities')
  })

  it('[MLS11] a new leaf is on a manifest that the commit brings: its own, listing it, and not an older one', async () => {
    const { keyPackage } = await packageOf(w, deviceOf(eve))
    const { proposals } = adding(keyPackage, eve)
    expect(await verdict(OWNER, { proposals: proposals ?? [] })).toBe('mls/policy/manifest-missing')
    const unlisted = await withDevices(eve.root, [await makeDevice(eve.root)], 1)
    expect(await verdict(OWNER, adding(keyPackage, unlisted))).toBe('mls/policy/not-listed')
    const broken = eve.manifest.with(-1, (eve.manifest.at(-1) ?? 0) ^ 1)
    expect(await verdict(OWNER, { proposals: proposals ?? [], manifests: [broken] })).toBe('mls/policy/manifest')
    const keyless = { account: eve.id, sequence: 1, devices: [], vault: { ...VAULT, hpkeKey: new Uint8Array(32) } }
    const unsealable = await signManifest(keyless, eve.root) // MAN13
    expect(await verdict(MEMBER, { manifests: [unsealable] })).toBe('mls/policy/manifest')
    const twice = [eve.manifest, eve.manifest]
    expect(await verdict(OWNER, { proposals: proposals ?? [], manifests: twice })).toBe('mls/policy/manifest-twice')
  })

  it('[MLS11] the group remembers the highest sequence and refuses a lower one', async () => {
    const { root, devices } = accountAt(OTHER)
    const older = await withDevices(root, devices, 0)
    expect(await verdict(OWNER, { manifests: [older.manifest] })).toBe('mls/policy/manifest-older')
    const newer = await withDevices(root, devices, 5)
    expect(await verdict(OWNER, { manifests: [newer.manifest] }), 'and it must be remembered').toBe(
      'mls/policy/context',
    )
    const raised = context((before) =>
      changeContext(before, { manifests: [{ account: accountAt(OTHER).id, sequence: 9 }] }),
    )
    expect(await verdict(OWNER, { proposals: raised ?? [] }), 'nor raised by hearsay').toBe('mls/policy/context')
  })

  it('[MLS9] a device is in a group once, under whatever key', async () => {
    const { root, devices } = accountAt(OTHER)
    const { deviceId } = deviceOf(accountAt(OTHER))
    const { keys } = await makeDevice(root)
    const rekeyed = await certify(root, keys, deviceId, 2)
    const account = await withDevices(root, [rekeyed], devices.length + 1)
    const { keyPackage } = await packageOf(w, rekeyed)
    const again = adding(keyPackage, account)
    expect(await verdict(OWNER, again)).toBe('mls/policy/device-present')
    const instead = { ...again, proposals: [remove(OTHER), ...(again.proposals ?? [])] }
    expect(await verdict(OWNER, instead), 'unless the old leaf goes').toMatch(/^accepted/)
  })
})

describe('[C-04] lifetimes', () => {
  it("[MLS9] are judged at the commit's own time, by everybody alike", async () => {
    const { keyPackage } = await packageOf(w, deviceOf(eve), 10 * DAY_MS)
    const at = (timeMs: number) => verdict(OWNER, { ...adding(keyPackage, eve), timeMs })
    expect(await at(w.nowMs)).toBe('accepted')
    expect(await at(w.nowMs + 11 * DAY_MS)).toBe('mls/policy/lifetime')
    const future = await forgePackage(w, deviceOf(eve), {
      notBeforeMs: w.nowMs + DAY_MS,
      notAfterMs: w.nowMs + 2 * DAY_MS,
    })
    expect(await verdict(OWNER, adding(future, eve))).toBe('mls/policy/lifetime')
  })

  it('[MLS9] of more than 90 days are refused', async () => {
    const absurd = await forgePackage(w, deviceOf(eve), { notAfterMs: w.nowMs + 92 * DAY_MS })
    expect(await verdict(OWNER, adding(absurd, eve))).toBe('mls/policy/lifetime-length')
    await expect(readKeyPackage(absurd)).rejects.toThrow('mls/policy/lifetime-length')
    await expect(packageOf(w, deviceOf(eve), 91 * DAY_MS)).rejects.toThrow('mls/lifetime')
  })

  it('[MLS8] no commit is of an earlier time than the last', async () => {
    expect(await verdict(OWNER, { timeMs: w.nowMs - 1 })).toBe('mls/policy/time')
    const slow = await stage(w, groupAt(OWNER), { timeMs: w.nowMs - DAY_MS })
    expect(await verdicts(OWNER, slow.commit), 'a clock that is behind makes no void commit').toBe('accepted')
  })

  it('[MLS8] only an add moves the time on: a clock that is years ahead takes no key package its life', async () => {
    expect(await verdict(MEMBER, { timeMs: w.nowMs + 1 })).toBe('mls/policy/time')
    const fast = await stage(w, groupAt(MEMBER), { timeMs: w.nowMs + 900 * DAY_MS })
    expect(await verdicts(MEMBER, fast.commit)).toBe('accepted')
    expect((await merge(groupAt(MEMBER), fast)).lastCommitMs).toBe(groupAt(MEMBER).lastCommitMs)
    const { keyPackage } = await packageOf(w, deviceOf(eve))
    const added = { adds: [keyPackage], manifests: [eve.manifest], timeMs: w.nowMs + 5 }
    expect((await merge(groupAt(OWNER), await stage(w, groupAt(OWNER), added))).lastCommitMs).toBe(w.nowMs + 5)
    const tooFast = stage(w, groupAt(OWNER), { ...added, timeMs: w.nowMs + 900 * DAY_MS })
    await expect(tooFast, 'nor does it add anybody').rejects.toThrow('mls/policy/lifetime')
  })
})

describe.each([SUITE_CLASSICAL, SUITE_XWING] as const)(
  '[MLS25] [C-04] keys that nothing can be sealed to, suite %i',
  (suite) => {
    const here = world(suite)
    const lowOrder = (key: Uint8Array) => key.slice().fill(0, -32)

    async function twoOf() {
      const [ann, ben] = [await makeAccount('ann'), await makeAccount('ben')]
      const [a, b] = await groupOf(here, [ann, ben])
      if (a === undefined || b === undefined) throw new Error('unreachable')
      return { ann, ben, a, b }
    }

    it('of the committer’s leaf and of each node of its path make the commit void, for all alike', async () => {
      const { a, b } = await twoOf()
      for (const which of [0, 1]) {
        let exported = 0
        const commit = await forge(here, a, {
          bend: (cs) => ({
            ...cs,
            hpke: {
              ...cs.hpke,
              exportPublicKey: async (key) => {
                const bytes = await cs.hpke.exportPublicKey(key)
                return exported++ === which ? lowOrder(bytes) : bytes
              },
            },
          }),
        })
        expect(exported, 'leaf and root').toBe(2)
        await expect(openMessage(b, commit, here.nowMs)).rejects.toThrow('mls/policy/public-key')
      }
    })

    it('of a key package: neither who takes it nor who judges the commit that adds it', async () => {
      const { a, b } = await twoOf()
      const eve = await makeAccount('eve')
      for (const key of ['init', 'leaf'] as const) {
        const bad = await forgePackage(here, deviceOf(eve), { lowOrder: key })
        await expect(readKeyPackage(bad)).rejects.toThrow('mls/policy/public-key')
        await expect(stage(here, a, { adds: [bad], manifests: [eve.manifest] })).rejects.toThrow(
          'mls/policy/public-key',
        )
        const extensions = [
          toExtension(changeContext(a.context, { manifests: [{ account: eve.id, sequence: eve.sequence }] })),
        ]
        const commit = await forge(here, a, {
          proposals: [add(bad), { proposalType: 'group_context_extensions', groupContextExtensions: { extensions } }],
          manifests: [eve.manifest],
          sealsAnything: true,
        })
        await expect(openMessage(b, commit, here.nowMs)).rejects.toThrow('mls/policy/public-key')
      }
    })

    it('of a tree that a joiner is given', async () => {
      const { a } = await twoOf()
      const { state } = a
      for (const [place, node] of state.ratchetTree.entries()) {
        if (node === undefined) continue
        const ratchetTree = state.ratchetTree.slice()
        if (node.nodeType === 'leaf') {
          const hpkePublicKey = lowOrder(node.leaf.hpkePublicKey)
          ratchetTree[place] = { ...node, leaf: { ...node.leaf, hpkePublicKey } }
        } else {
          const hpkePublicKey = lowOrder(node.parent.hpkePublicKey)
          ratchetTree[place] = { ...node, parent: { ...node.parent, hpkePublicKey } }
        }
        const tree = encodeJoinTree({ ...a, state: { ...state, ratchetTree } })
        expect(() => decodeJoinTree(tree, suite)).toThrow('mls/policy/public-key')
      }
    })
  },
)

describe('[C-04] shapes of handshakes', () => {
  it('[MLS7] proposals by reference, and any other kind, are refused', async () => {
    const group = groupAt(MEMBER)
    const cs = provider(w.suite, { dice: w.dice, signer: group.signer })
    const { message, newState } = await createProposal(group.state, false, remove(OTHER), cs)
    if (message.wireformat !== 'mls_private_message') throw new Error('a public message')
    expect(await verdicts(MEMBER, encodeMessage(message))).toBe('mls/policy/proposal')
    expect(await verdict(MEMBER, { state: newState })).toBe('mls/policy/reference')
    const custom = { proposalType: 0xf200, proposalData: new Uint8Array(1) }
    expect(await verdict(OWNER, { proposals: [custom] })).toBe('mls/policy/proposal')
  })

  it('[MLS6] authenticated data that is not ours is refused', async () => {
    expect(await verdict(OWNER, { data: new Uint8Array() })).toBe('mls/policy/data')
    expect(await verdict(OWNER, { data: new Uint8Array(44) })).toBe('mls/policy/data')
  })

  it('[MLS7] a public message by a member is refused', async () => {
    const group = groupAt(OWNER)
    const cs = provider(w.suite, { dice: w.dice, signer: group.signer })
    const { message } = await createProposal(group.state, true, remove(OTHER), cs)
    if (message.wireformat !== 'mls_public_message') throw new Error('a private message')
    expect(await verdicts(OWNER, encodeMessage(message))).toBe('mls/policy/wire-format')
  })
})

describe('[MLS15] void for all, or bad for one', () => {
  it('a wrong confirmation tag is void for everybody', async () => {
    const bend: NonNullable<Forgery['bend']> = (cs) => ({
      ...cs,
      hash: { ...cs.hash, mac: async () => new Uint8Array(32) },
    })
    expect(await verdict(OWNER, { bend })).toBe('mls/policy/commit')
  })

  it('a path secret that does not open is its receiver’s own matter: the others go on', async () => {
    let sealed = 0
    const commit = await forge(w, groupAt(OWNER), {
      bend: (cs) => ({
        ...cs,
        hpke: {
          ...cs.hpke,
          seal: async (...input) => {
            const made = await cs.hpke.seal(...input)
            return sealed++ === 0 ? { ...made, ct: made.ct.with(0, (made.ct[0] ?? 0) ^ 1) } : made
          },
        },
      }),
    })
    expect((await verdicts(OWNER, commit)).split(',').toSorted()).toEqual(['accepted', 'mls/own-path'])
  })

  it('a path secret whose keys are not the published ones is no reason to call the commit void', async () => {
    let sealed = 0
    const commit = await forge(w, groupAt(OWNER), {
      bend: (cs) => ({
        ...cs,
        hpke: {
          ...cs.hpke,
          seal: (to, plaintext, info, aad) =>
            cs.hpke.seal(to, sealed++ === 0 ? new Uint8Array(plaintext.length) : plaintext, info, aad),
        },
      }),
    })
    expect((await verdicts(OWNER, commit)).split(',').toSorted()).toEqual(['accepted', 'mls/own-path'])
  })
})
