import { encodeRatchetTree, type RatchetTree } from 'ts-mls/ratchetTree.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { Writer } from '#core/bytes/writer.ts'
import { type ChannelContext, encodeChannelContext } from '#core/mls/channel-context.ts'
import {
  decodeGroup,
  encodeGroup,
  encodeRatchets,
  type Group,
  joinGroup,
  openMessage,
  readKeyPackage,
  SUITE_CLASSICAL,
  SUITE_XWING,
} from '#core/mls/index.ts'
import { decodeJoinTree, encodeJoinTree } from '#core/mls/join-tree.ts'
import { decodeSecret } from '#core/mls/key-package.ts'
import {
  deviceOf,
  follow,
  groupOf,
  makeAccount,
  merge,
  openText,
  packageOf,
  restored,
  say,
  stage,
  world,
} from './support.ts'

const w = world()
let ann: Group
let ben: Group

beforeAll(async () => {
  const [a, b] = await groupOf(w, await Promise.all(['ann', 'ben'].map((name) => makeAccount(name))))
  if (a === undefined || b === undefined) throw new Error('unreachable')
  ann = a
  ben = b
})

describe('[MLS16] a stored group', () => {
  it('comes back the same, and is encoded the same', () => {
    const parts = encodeGroup(ann)
    expect(encodeGroup(decodeGroup(parts, ann.signer))).toEqual(parts)
  })

  it('is split by how often it changes: a message touches the ratchets alone, in at most 4 KB', async () => {
    const before = encodeGroup(ann)
    const said = await say(w, ann, 'x')
    const after = encodeGroup(said.next)
    expect(after.tree).toEqual(before.tree)
    expect(after.epoch).toEqual(before.epoch)
    expect(after.ratchets).not.toEqual(before.ratchets)
    expect(after.ratchets.length).toBeLessThan(4096)
    expect(encodeRatchets(said.next)).toEqual(after.ratchets)
    expect((await openText(w, restored(ben), said.message)).text).toBe('x')
  })

  it('keeps the nodes that its epochs share once', async () => {
    let [a, b] = [ann, ben]
    for (let i = 0; i < 8; i++) {
      const staged = await stage(w, a)
      ;[a, b] = [await merge(a, staged), await follow(w, b, staged.commit)]
    }
    const grown = encodeGroup(a).tree.length / encodeGroup(ann).tree.length
    expect(grown, 'one leaf and one parent an epoch, not a tree').toBeLessThan(8)
    const again = decodeGroup(encodeGroup(a), a.signer)
    const [own] = [...again.state.historicalReceiverData.values()]
    expect(own?.ratchetTree[2], 'ben never committed: one leaf object for all epochs').toBe(again.state.ratchetTree[2])
  })

  it('[K-04] holds no signing key', () => {
    expect(ann.state.signaturePrivateKey).toHaveLength(0)
  })

  it('copies its input: wiping what was read changes nothing', () => {
    const parts = encodeGroup(ann)
    const copies = { tree: parts.tree.slice(), epoch: parts.epoch.slice(), ratchets: parts.ratchets.slice() }
    const group = decodeGroup(copies, ann.signer)
    for (const part of Object.values(copies)) part.fill(0)
    expect(encodeGroup(group)).toEqual(parts)
  })

  it('[I-16] is refused when its parts are not of one epoch, or cut, or longer, or of another version', async () => {
    const parts = encodeGroup(ann)
    const next = encodeGroup(await merge(ann, await stage(w, ann)))
    for (const torn of [
      { ...parts, tree: next.tree },
      { ...parts, ratchets: next.ratchets },
      { ...parts, epoch: next.epoch },
    ]) {
      expect(() => decodeGroup(torn, ann.signer)).toThrow('group/torn')
    }
    for (const part of ['tree', 'epoch', 'ratchets'] as const) {
      const bytes = parts[part]
      const broken = (value: Uint8Array) => () => decodeGroup({ ...parts, [part]: value }, ann.signer)
      expect(broken(bytes.slice(0, -1))).toThrow(/reader|group|mls/)
      expect(broken(new Uint8Array([...bytes, 0]))).toThrow('reader/trailing')
      expect(broken(bytes.with(0, 2))).toThrow('group/version')
      expect(broken(bytes.with(1, 0x77))).toThrow('mls/suite')
    }
  })
})

const joinTree = (tree: RatchetTree, context: ChannelContext) =>
  new Writer().u8(1).block(encodeRatchetTree(tree)).block(encodeChannelContext(context)).done()

describe('[R-06] what comes from outside', () => {
  it('is refused with trailing bytes', async () => {
    const said = await say(w, ann, 'x')
    await expect(openMessage(ben, new Uint8Array([...said.message, 0]), w.nowMs)).rejects.toThrow('mls/message')
    const made = await packageOf(w, deviceOf(await makeAccount('eve')))
    await expect(readKeyPackage(new Uint8Array([...made.keyPackage, 0]))).rejects.toThrow('mls/message')
    const staged = await stage(w, ann)
    const input = { welcome: new Uint8Array(3), keyPackage: made.keyPackage, secret: made.secret, signer: ann.signer }
    await expect(joinGroup({ ...input, tree: new Uint8Array([...staged.tree, 0]) })).rejects.toThrow('mls/message')
  })

  it('is refused above its bound before it is parsed', async () => {
    await expect(openMessage(ben, new Uint8Array(2 ** 20 + 1), w.nowMs)).rejects.toThrow('mls/message')
    await expect(readKeyPackage(new Uint8Array(2 ** 14 + 1))).rejects.toThrow('mls/key-package')
  })

  it('[I-10] never throws anything but a typed error, whatever byte is changed', async () => {
    const { message } = await say(w, ann, 'x')
    const { commit } = await stage(w, ann)
    for (const bytes of [message, commit]) {
      for (let at = 0; at < bytes.length; at += 7) {
        const bent = bytes.with(at, (bytes[at] ?? 0) ^ 0x41)
        await expect(openMessage(ben, bent, w.nowMs)).rejects.toMatchObject({
          name: expect.stringMatching(/^(WireError|CryptoError|StateError)$/),
        })
      }
    }
  })

  it('[R-06] a tree whose unmerged leaves are not below their parent is refused before it is walked', async () => {
    const [account, joiner] = await Promise.all(['ann', 'joiner'].map((name) => makeAccount(name)))
    if (account === undefined || joiner === undefined) throw new Error('unreachable')
    const made = await packageOf(w, deviceOf(joiner))
    const healed = await merge(ann, await stage(w, ann))
    const staged = await stage(w, healed, { adds: [made.keyPackage], manifests: [joiner.manifest] })
    const { ratchetTree: tree, context } = decodeJoinTree(staged.tree, w.suite)
    const top = tree[1]
    if (top?.nodeType !== 'parent') throw new Error('no parent')
    tree[1] = { nodeType: 'parent', parent: { ...top.parent, unmergedLeaves: [900, 901] } }
    const welcome = staged.welcomes[0]?.welcome ?? new Uint8Array()
    const { keyPackage, secret } = made
    const joining = joinGroup({
      welcome,
      tree: joinTree(tree, context),
      keyPackage,
      secret,
      signer: deviceOf(joiner).signer,
    })
    await expect(joining).rejects.toThrow('mls/policy/unmerged-leaves')
    const other = joinGroup({
      welcome,
      tree: encodeJoinTree(ann),
      keyPackage,
      secret,
      signer: deviceOf(joiner).signer,
    })
    await expect(other, 'nor is any other tree than the signed one').rejects.toThrow('mls/welcome')
  })

  it('[MLS1] a welcome of one suite does not open with a key package of another', async () => {
    const joiner = await makeAccount('joiner')
    const classical = await packageOf(world(SUITE_CLASSICAL), deviceOf(joiner))
    const hybrid = await packageOf(world(SUITE_XWING), deviceOf(joiner))
    expect(decodeSecret(hybrid.secret).suite).toBe(SUITE_XWING)
    const staged = await stage(w, ann, { adds: [classical.keyPackage], manifests: [joiner.manifest] })
    const input = {
      welcome: staged.welcomes[0]?.welcome ?? new Uint8Array(),
      tree: staged.tree,
      signer: deviceOf(joiner).signer,
    }
    await expect(joinGroup({ ...input, keyPackage: hybrid.keyPackage, secret: hybrid.secret })).rejects.toThrow(
      'mls/policy/suite',
    )
    await expect(stage(w, ann, { adds: [hybrid.keyPackage], manifests: [joiner.manifest] })).rejects.toThrow('mls')
  })
})
