import { encodeRatchetTree, type RatchetTree } from 'ts-mls/ratchetTree.js'
import { directPath, toNodeIndex } from 'ts-mls/treemath.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { Writer } from '#core/bytes/writer.ts'
import { type ChannelContext, encodeChannelContext } from '#core/mls/channel-context.ts'
import {
  decodeGroup,
  decodeStaged,
  encodeGroup,
  encodeStaged,
  type Group,
  type GroupPart,
  type GroupRow,
  joinGroup,
  members,
  mergeStaged,
  openMessage,
  readKeyPackage,
  SUITE_CLASSICAL,
  SUITE_XWING,
} from '#core/mls/index.ts'
import { decodeJoinTree, encodeJoinTree } from '#core/mls/join-tree.ts'
import { decodeSecret } from '#core/mls/key-package.ts'
import { pageOf, placesOf } from '#core/mls/tree-pages.ts'
import {
  Disk,
  deviceOf,
  follow,
  groupOf,
  makeAccount,
  merge,
  nameOf,
  open,
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

function at<T>(values: readonly T[], index: number): T {
  const value = values[index]
  if (value === undefined) throw new Error('too few')
  return value
}

const whole = (group: Group) => encodeGroup(group).put
const partOf = (rows: readonly GroupRow[], part: GroupPart) => rows.filter((row) => row.part === part)

describe('[MLS16] a stored group', () => {
  it('comes back the same, and is encoded the same', () => {
    const rows = whole(ann)
    expect(whole(decodeGroup(rows.toReversed(), ann.signer))).toEqual(rows)
  })

  it('writes nothing when nothing changed, and for a message its ratchets alone', async () => {
    expect(encodeGroup(ann, ann)).toEqual({ put: [], drop: [] })
    const said = await say(w, ann, 'x')
    const { put, drop } = encodeGroup(said.next, ann)
    expect(put.map(({ part }) => part)).toEqual(put.map(() => 'ratchets'))
    expect(put.length).toBeGreaterThan(0)
    expect(drop).toEqual([])
    expect((await openText(w, restored(ben), said.message)).text).toBe('x')
  })

  it('writes the table of its context when that changes alone', async () => {
    const updated = await merge(ann, await stage(w, ann))
    const writes = (next: Group) => encodeGroup(next, ann).put.some((row) => row.part === 'epochs' && row.at < 0)
    expect(writes(updated)).toBe(false)
    const account = at(members(ann), 1).account
    const promoted = await merge(ann, await stage(w, ann, { roles: [{ account, role: 'admin' }] }))
    expect(writes(promoted)).toBe(true)
  })

  it('keeps a leaf that its epochs share once, and lets go of all rows of an epoch that is gone', async () => {
    const disk = new Disk()
    disk.save(ann)
    let [a, b] = [ann, ben]
    for (let i = 0; i < 12; i++) {
      const staged = await stage(w, a)
      ;[a, b] = [await merge(a, staged), await follow(w, b, staged.commit)]
      const said = await say(w, b, 'x')
      ;[a, b] = [(await openText(w, a, said.message)).next, said.next]
      disk.save(a)
      if (i % 3 === 0) a = disk.load(a.signer)
    }
    expect(disk.names).toEqual(whole(a).map(nameOf).toSorted())
    expect(partOf(disk.rows, 'epochs')).toHaveLength(1 + 8 + 1)
    const again = disk.load(a.signer)
    const [own] = [...again.state.historicalReceiverData.values()]
    expect(own?.ratchetTree[2], 'ben never committed: one leaf object for all epochs').toBe(again.state.ratchetTree[2])
  })

  it('grows and shrinks with its tree: a page that is blank has no row', async () => {
    const disk = new Disk()
    const [a] = await groupOf(
      w,
      await Promise.all(['ann', 'ben', 'cid', 'dot', 'eve'].map((name) => makeAccount(name))),
    )
    if (a === undefined) throw new Error('unreachable')
    disk.save(a)
    expect(partOf(disk.rows, 'nodes').map(({ at }) => at)).toContain(pageOf(8))
    const smaller = await merge(a, await stage(w, a, { removes: [4] }))
    expect(smaller.state.ratchetTree.length).toBeLessThan(a.state.ratchetTree.length)
    disk.save(smaller)
    expect(partOf(disk.rows, 'nodes').map(({ at }) => at)).not.toContain(pageOf(8))
    expect(disk.names).toEqual(whole(smaller).map(nameOf).toSorted())
    expect(new Set(whole(disk.load(a.signer)))).toEqual(new Set(whole(smaller)))
  })

  it('[K-04] holds no signing key', () => {
    expect(ann.state.signaturePrivateKey).toHaveLength(0)
  })

  it('copies its input: wiping what was read changes nothing', () => {
    const rows = whole(ann)
    const copies = rows.map((row) => ({ ...row, bytes: row.bytes.slice() }))
    const group = decodeGroup(copies, ann.signer)
    for (const { bytes } of copies) bytes.fill(0)
    expect(whole(group)).toEqual(rows)
  })

  it('[C-08] a late message of a past epoch leaves no row from which its key could be derived', async () => {
    const disk = new Disk()
    const said = await say(w, ann, 'late')
    const staged = await stage(w, said.next)
    const b = await follow(w, ben, staged.commit)
    disk.save(b)
    const opened = await open(w, b, said.message)
    disk.save(opened.next)
    await expect(open(w, disk.load(b.signer), said.message)).rejects.toThrow('mls/generation-gone')
    for (const secret of opened.spent) {
      expect(disk.rows.some(({ bytes }) => Buffer.from(bytes).includes(Buffer.from(secret)))).toBe(false)
    }
  })

  it('[I-16] is refused when its rows are not of one state, or cut, or longer, or of another version', async () => {
    const rows = whole(ann)
    const next = whole(await merge(ann, await stage(w, ann)))
    const mixed = (part: GroupPart) => [...rows.filter((row) => row.part !== part), ...partOf(next, part)]
    for (const part of ['nodes', 'epochs', 'ratchets'] as const) {
      expect(() => decodeGroup(mixed(part), ann.signer), part).toThrow('group/torn')
      expect(() => decodeGroup([...rows.filter((row) => row.part !== part)], ann.signer), part).toThrow('group/torn')
    }
    for (const row of rows) {
      const broken = (bytes: Uint8Array) => () =>
        decodeGroup([...rows.filter((other) => other !== row), { ...row, bytes }], ann.signer)
      expect(broken(row.bytes.slice(0, -1)), nameOf(row)).toThrow(/reader|group|mls/)
      expect(broken(new Uint8Array([...row.bytes, 0]))).toThrow('reader/trailing')
      expect(broken(row.bytes.with(0, 1))).toThrow('group/version')
      expect(broken(row.bytes.with(1, 0x77))).toThrow('mls/suite')
      const at = { ...row, at: row.at + 64 }
      expect(() => decodeGroup([...rows.filter((other) => other !== row), at], ann.signer)).toThrow(/group/)
    }
  })

  it('[C-03] a staged commit is told by what it changes, and does not go with another epoch', async () => {
    const staged = await stage(w, ann)
    const bytes = encodeStaged(staged.next, ann)
    const live = restored(ann)
    const { next } = await mergeStaged(live, decodeStaged(bytes, ann.signer, live), w.nowMs)
    const expected = await merge(ann, staged)
    expect(whole(next)).toEqual(whole(expected))
    expect(() => decodeStaged(bytes, ann.signer, expected)).toThrow('mls/staged-elsewhere')
    expect(() => decodeStaged(bytes, ann.signer)).toThrow('mls/staged-elsewhere')
    const alone = decodeStaged(encodeStaged(staged.next), ann.signer)
    expect(alone.state.keySchedule).toEqual(expected.state.keySchedule)
    expect(() => decodeStaged(bytes.slice(0, -1), ann.signer, ann)).toThrow('reader/short')
  })
})

describe('[MLS16] pages of a tree', () => {
  it('every node has one, of three levels, and a path of eleven nodes crosses four', () => {
    const pages = new Map<number, number[]>()
    for (let node = 0; node < 2047; node++) pages.set(pageOf(node), [...(pages.get(pageOf(node)) ?? []), node])
    for (const [page, nodes] of pages) {
      expect(placesOf(page).filter((place) => place < 2047)).toEqual(nodes)
    }
    const path = [64, ...directPath(toNodeIndex(64), 1024)]
    expect(path).toHaveLength(11)
    expect(new Set(path.map(pageOf)).size).toBe(4)
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
