import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { ClientState } from 'ts-mls/clientState.js'
import type { Proposal } from 'ts-mls/proposal.js'
import type { ReuseGuard } from 'ts-mls/sender.js'
import { patchSet } from 'ts-mls/stave-patched.js'
import { leafWidth, toLeafIndex, toNodeIndex } from 'ts-mls/treemath.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { mlsHashes } from '#core/mls/hashing.ts'
import { MODULES, PACKAGES, PATCHES, RULES } from '../../../../patches/ts-mls/patches.mjs'
import {
  add,
  commit,
  context,
  cs,
  groupOf,
  join,
  type Mls,
  made,
  patchedMls,
  process,
  remove,
  STOCK,
  stockMls,
} from './stock.ts'

const root = resolve(import.meta.dirname, '../../../..')
const read = (path: string) => readFileSync(resolve(root, path), 'utf8')

describe('the installed package', () => {
  it('is the patched one, of these patches exactly', () => {
    const hash = createHash('sha256')
    const folder = resolve(root, 'patches/ts-mls')
    for (const name of readdirSync(folder).sort()) hash.update(`${name}\0`).update(readFileSync(resolve(folder, name)))
    expect(patchSet, 'run: node scripts/patch-ts-mls.mjs').toBe(hash.digest('hex'))
  })

  it('is of the one version that the patches are for, pinned exactly', () => {
    for (const [name, version] of Object.entries(PACKAGES)) {
      expect(JSON.parse(read(`node_modules/${name}/package.json`)).version).toBe(version)
      expect(JSON.parse(read('package.json')).dependencies[name]).toBe(version)
    }
    // 1.6.2 and 2.0.0-rc.10 let a removed member read on.
    expect(PACKAGES['ts-mls']).toBe('1.6.4')
  })

  it('says for every patch why, where the RFC says so, and who upstream agrees', () => {
    for (const { why, rfc, upstream } of PATCHES) expect([why, rfc, upstream].every((text) => text !== '')).toBe(true)
    for (const { why, times } of RULES) expect(why !== '' && times > 0).toBe(true)
    expect(MODULES.length).toBeGreaterThan(0)
  })
})

/** What a case shows: true as it should be, anything else what was wrong. */
type Case = (mls: Mls) => Promise<unknown>

const psk = { secret: new Uint8Array(32).fill(7), id: new Uint8Array([1]) }

const cases: readonly { id: string; shows: string; run: Case }[] = [
  {
    id: 'C1',
    shows: 'a welcome opens whose tree has leaves that are unmerged on some levels only (RFC 9420 7.9.2)',
    run: async (mls) => {
      const states: (ClientState | undefined)[] = await groupOf(mls, 8)
      const everybody = async (by: number, ...proposals: Parameters<typeof commit>[2][]) => {
        const state = states[by]
        if (state === undefined) throw new Error('gone')
        const {
          commit: message,
          newState,
          welcome,
        } = await commit(
          mls,
          state,
          proposals.flat().filter((p) => !!p),
        )
        for (const [i, other] of states.entries()) {
          if (other === undefined || i === by) continue
          const next = await process(mls, other, message)
          states[i] = next.groupActiveState.kind === 'active' ? next : undefined
        }
        states[by] = newState
        return welcome
      }
      await everybody(0, [remove(1)])
      await everybody(7, [remove(6)])
      await everybody(0)
      await everybody(7)
      await everybody(0, [add(await made(mls, 'f'))])
      const last = await made(mls, 'g')
      const joined = await join(mls, await everybody(0, [add(last)]), last)
      return joined.groupContext.epoch === states[0]?.groupContext.epoch
    },
  },
  {
    id: 'C2',
    shows: 'a commit that changes the context alone has a path (12.4)',
    run: async (mls) => {
      const [a] = await groupOf(mls, 2, 1)
      if (a === undefined) return 'no group'
      const { commit: message } = await commit(mls, a, [context('x')], true)
      if (message.wireformat !== 'mls_public_message') return message.wireformat
      const { content } = message.publicMessage
      return content.contentType === 'commit' && content.commit.path !== undefined
    },
  },
  {
    id: 'C3',
    shows: 'a commit that changes the context and removes can be processed (7.6)',
    run: async (mls) => {
      const [a, b] = await groupOf(mls, 3, 2)
      if (a === undefined || b === undefined) return 'no group'
      const { commit: message } = await commit(mls, a, [context('x'), remove(2)])
      return (await process(mls, b, message)).groupContext.epoch === 2n
    },
  },
  {
    id: 'C4',
    shows: 'an empty context clears the extensions (12.1.7)',
    run: async (mls) => {
      const [a, b] = await groupOf(mls, 2)
      if (a === undefined || b === undefined) return 'no group'
      const set = await commit(mls, a, [context('x')])
      const other = await process(mls, b, set.commit)
      const cleared = await commit(mls, set.newState, [context(undefined)])
      const after = await process(mls, other, cleared.commit)
      return [cleared.newState, after].every((state) => state.groupContext.extensions.length === 0)
    },
  },
  {
    id: 'C5',
    shows: 'a private commit with a pre-shared key passes through the one call for both kinds (12.4.2)',
    run: async (mls) => {
      const [a, b] = await groupOf(mls, 2)
      if (a === undefined || b === undefined) return 'no group'
      const pskIndex = { findPsk: () => psk.secret }
      const preSharedKeyId = { psktype: 'external' as const, pskId: psk.id, pskNonce: new Uint8Array(32) }
      const extraProposals = [{ proposalType: 'psk' as const, psk: { preSharedKeyId } }]
      const { commit: message } = await mls.createCommit({ state: a, cipherSuite: cs, pskIndex }, { extraProposals })
      if (message.wireformat !== 'mls_private_message') return message.wireformat
      return (await mls.processMessage(message, b, pskIndex, () => 'accept', cs)).newState.groupContext.epoch === 2n
    },
  },
  {
    id: 'C7',
    shows: 'external_pub has its length before it (12.4.3.2)',
    run: async (mls) => {
      const [a] = await groupOf(mls, 2, 1)
      if (a === undefined) return 'no group'
      const { extensions } = await mls.createGroupInfoWithExternalPub(a, [], cs)
      const own = await made(mls, 'x')
      const info = await mls.createGroupInfoWithExternalPubAndRatchetTree(a, [], cs)
      const joined = await mls.joinGroupExternal(info, own.publicPackage, own.privatePackage, false, cs)
      const length = extensions.find(({ extensionType }) => extensionType === 'external_pub')?.extensionData.length
      return joined.newState.groupContext.epoch === 2n && length === 33
    },
  },
  {
    id: 'C9',
    shows: 'a member that is removed while its place is filled again learns of it (12.4.2)',
    run: async (mls) => {
      const [a, b] = await groupOf(mls, 3, 2)
      if (a === undefined || b === undefined) return 'no group'
      const { commit: message } = await commit(mls, a, [remove(1), add(await made(mls, 'n'))])
      return (await process(mls, b, message)).groupActiveState.kind === 'removedFromGroup'
    },
  },
  {
    id: 'C10',
    shows: "a commit's key is gone from the past epoch that its sender keeps (9.2)",
    run: async (mls) => {
      const [a] = await groupOf(mls, 2, 1)
      if (a === undefined) return 'no group'
      const { newState } = await commit(mls, a)
      const past = newState.historicalReceiverData.get(1n)?.secretTree
      if (past === undefined) return 'no past epoch'
      try {
        const sender = { leafIndex: 0, generation: 0, reuseGuard: new Uint8Array(4) as ReuseGuard }
        await mls.ratchetToGeneration(past, sender, 'commit', newState.clientConfig.keyRetentionConfig, cs)
        return 'the key is there'
      } catch {
        return true
      }
    },
  },
  {
    id: 'C11',
    shows: "a leaf with a member's encryption key is refused, unless that member goes in the same commit (7.3)",
    run: async (mls) => {
      const [a, b] = await groupOf(mls, 3, 2)
      const taken = a?.ratchetTree[4]
      if (a === undefined || b === undefined || taken?.nodeType !== 'leaf') return 'no group'
      const keys = await cs.signature.keygen()
      const { publicPackage } = await made(mls, 'd', keys)
      const { hpkePublicKey } = taken.leaf
      const unsigned = { ...publicPackage.leafNode, hpkePublicKey }
      const leafNode = await mls.signLeafNodeKeyPackage(unsigned, keys.signKey, cs.signature)
      const keyPackage = await mls.signKeyPackage({ ...publicPackage, leafNode }, keys.signKey, cs.signature)
      const copy: Proposal = { proposalType: 'add', add: { keyPackage } }
      if ((await commit(mls, a, [copy]).catch(() => undefined)) !== undefined) return 'two leaves with one key'
      const { commit: message } = await commit(mls, a, [remove(2), copy])
      return (await process(mls, b, message)).groupContext.epoch === 2n
    },
  },
  {
    id: 'C12',
    shows: 'the commit secret follows the last path secret, also below a blank root (12.4.1)',
    run: async (mls) => {
      const own = await made(mls, 'x')
      const tree = [undefined, undefined, { nodeType: 'leaf' as const, leaf: own.publicPackage.leafNode }]
      const secret = new Uint8Array(32).fill(9)
      const found = await mls.getCommitSecret(tree, toNodeIndex(2), secret, cs.kdf)
      return Buffer.from(found).equals(await mls.deriveSecret(secret, 'path', cs.kdf))
    },
  },
  {
    id: 'C13',
    shows:
      'a length in more bytes than it needs, and a value that is neither there nor not, are malformed (2.1.1, 2.1.2)',
    run: async (mls) => {
      const reads = (decode: () => unknown) => {
        try {
          return decode() !== undefined
        } catch {
          return false
        }
      }
      const optional = mls.decodeOptional(mls.decodeVarLenData)
      if (!reads(() => mls.decodeVarLenData(Uint8Array.of(1, 7), 0))) return 'no length at all'
      if (!reads(() => optional(Uint8Array.of(1, 1, 7), 0)) || !reads(() => optional(Uint8Array.of(0), 0)))
        return 'none'
      const longer = [Uint8Array.of(0x40, 1, 7), Uint8Array.of(0x80, 0, 0, 1, 7)]
      const accepted = longer.filter((bytes) => reads(() => mls.decodeVarLenData(bytes, 0))).length
      return (accepted === 0 && !reads(() => optional(Uint8Array.of(2, 1, 7), 0))) || `${accepted} longer ones`
    },
  },
  {
    id: 'S1',
    shows: 'the engine reads no clock: lifetimes are judged outside of it',
    run: async (mls) => {
      const [a] = await groupOf(mls, 2, 1)
      if (a === undefined) return 'no group'
      return (await commit(mls, a, [add(await made(mls, 'old', undefined, true))])).welcome !== undefined
    },
  },
  { id: 'S3', shows: 'an opened commit can be applied', run: async (mls) => typeof mls.processCommit === 'function' },
  {
    id: 'P1',
    shows: 'a new epoch derives no secrets of leaves',
    run: async (mls) => {
      let expansions = 0
      const expand: typeof cs.kdf.expand = (...input) => {
        expansions++
        return cs.kdf.expand(...input)
      }
      const counting = { ...cs.kdf, expand }
      await mls.createSecretTree(64, new Uint8Array(32), counting)
      return expansions === 0 || expansions
    },
  },
  {
    id: 'P2',
    shows: 'a tree hash is remembered by its nodes',
    run: async (mls) => {
      const [a] = await groupOf(mls, 8, 1)
      if (a === undefined) return 'no group'
      const { hash, digests } = countingHash()
      await mls.treeHashRoot(a.ratchetTree, hash)
      const before = digests()
      await mls.treeHashRoot(a.ratchetTree.slice(), hash)
      return digests() === before || digests() - before
    },
  },
  {
    id: 'P2',
    shows: 'a tree that is new is hashed a level at a time',
    run: async (mls) => {
      const [a] = await groupOf(mls, 40, 1)
      if (a === undefined) return 'no group'
      const { digestSync, digestAll } = mlsHashes.sha256
      let [single, levels] = [0, 0]
      const hash = {
        ...mlsHashes.sha256,
        digestSync: (data: Uint8Array) => {
          single++
          return digestSync(data)
        },
        digestAll: (inputs: readonly Uint8Array[]) => {
          levels++
          return digestAll(inputs)
        },
      }
      const root = await mls.treeHashRoot(a.ratchetTree, hash)
      const isSame = Buffer.from(root).equals(a.groupContext.treeHash)
      return (isSame && single === 0 && levels === 7) || `${single} one at a time, ${levels} levels`
    },
  },
  {
    id: 'P3',
    shows: 'parent hashes take a number of digests that is linear in the leaves',
    run: async (mls) => {
      const [a] = await groupOf(mls, 32, 1)
      if (a === undefined) return 'no group'
      const { newState } = await commit(mls, a)
      const { hash, digests } = countingHash()
      await mls.verifyParentHashes(newState.ratchetTree, hash)
      return digests() < 4 * leafWidth(newState.ratchetTree.length) || digests()
    },
  },
  {
    id: 'P4',
    shows: 'a tree of 8,000 leaves is encoded without running out of stack',
    run: async (mls) => {
      const { publicPackage } = await made(mls, 'x')
      const node = { nodeType: 'leaf' as const, leaf: publicPackage.leafNode }
      const tree = Array.from({ length: 16_001 }, (_, i) => (i % 2 === 0 ? node : undefined))
      return mls.encodeRatchetTree(tree).length > 1_000_000
    },
  },
  {
    id: 'P5',
    shows: 'the keys of nodes are not encoded anew at each check',
    run: async (mls) => {
      const [a] = await groupOf(mls, 8, 1)
      if (a === undefined) return 'no group'
      const { leafNode } = (await made(mls, 'x')).publicPackage
      await mls.validateLeafNodeCredentialAndKeyUniqueness(a.ratchetTree, leafNode)
      const { reads, tree } = watched(a.ratchetTree, (leaf) => leaf.hpkePublicKey)
      await mls.validateLeafNodeCredentialAndKeyUniqueness(tree, leafNode)
      const before = reads()
      await mls.validateLeafNodeCredentialAndKeyUniqueness(tree, leafNode)
      return reads() === before || `${reads() - before} of ${before} read again`
    },
  },
  {
    id: 'P8',
    shows: 'the own leaf is found without encoding the others',
    run: async (mls) => {
      const [a] = await groupOf(mls, 8, 1)
      const own = a?.ratchetTree[14]
      if (a === undefined || own?.nodeType !== 'leaf') return 'no group'
      const { reads, tree } = watched(a.ratchetTree, (leaf) => leaf.hpkePublicKey)
      tree[14] = own
      return mls.findLeafIndex(tree, own.leaf) === 7 && (reads() === 0 || reads())
    },
  },
  {
    id: 'P9',
    shows: 'each key of the tree is looked at once, however long the path is',
    run: async (mls) => {
      const [a, b] = await groupOf(mls, 8, 2)
      if (a === undefined || b === undefined) return 'no group'
      const first = await commit(mls, a)
      const state = await process(mls, b, first.commit)
      const { commit: message } = await commit(mls, state, [], true)
      if (message.wireformat !== 'mls_public_message') return message.wireformat
      const { content } = message.publicMessage
      if (content.contentType !== 'commit' || content.commit.path === undefined) return 'no path'
      let reads = 0
      const tree = state.ratchetTree.map((node) => {
        if (node?.nodeType !== 'parent') return node
        const parent = { ...node.parent }
        const get = () => {
          reads++
          return node.parent.hpkePublicKey
        }
        Object.defineProperty(parent, 'hpkePublicKey', { get })
        return { nodeType: 'parent' as const, parent }
      })
      await mls.applyUpdatePath(tree, toLeafIndex(1), content.commit.path, cs.hash)
      const parents = state.ratchetTree.filter((node) => node?.nodeType === 'parent').length
      return reads <= 2 * parents || `${reads} reads of ${parents} keys`
    },
  },
  {
    id: 'P10',
    shows: 'leaves of a joined tree are verified side by side, and one that is bad is found',
    run: async (mls) => {
      const [a] = await groupOf(mls, 8)
      if (a === undefined) return 'no group'
      let [running, most, bad] = [0, 0, -1]
      const verify = async () => {
        most = Math.max(most, ++running)
        await new Promise((done) => setImmediate(done))
        running--
        return bad-- !== 0
      }
      const { groupContext, ratchetTree, clientConfig } = a
      const { lifetimeConfig, authService } = clientConfig
      const watched = { ...cs, signature: { ...cs.signature, verify } }
      const check = (treeHash = groupContext.treeHash) =>
        mls.validateRatchetTree(ratchetTree, groupContext, lifetimeConfig, authService, treeHash, watched)
      const other = await check(new Uint8Array(32))
      if (other === undefined || most > 0) return 'signatures in a tree that nobody signed'
      const good = await check()
      bad = 5
      const found = await check()
      return (good === undefined && found?.name === 'CryptoVerificationError' && most === 8) || `${most} at a time`
    },
  },
  {
    id: 'P11',
    shows: 'the names of an enumeration are turned round once',
    run: async (mls) => {
      let reads = 0
      const ownKeys = (target: object) => {
        reads++
        return Reflect.ownKeys(target)
      }
      const values = new Proxy({ one: 1, two: 2 }, { ownKeys })
      const toKey = mls.enumNumberToKey(values)
      const [known, unknown] = [[1, 2, 1].map(toKey).join(), toKey(3)]
      return (known === 'one,two,one' && unknown === undefined && reads === 1) || `${reads} times`
    },
  },
  {
    id: 'P12',
    shows: 'what is encoded is written into one array, without a view of it for each field',
    run: async (mls) => {
      const { leafNode } = (await made(mls, 'x')).publicPackage
      const Real = globalThis.DataView
      let views = 0
      const counting = new Proxy(Real, {
        construct: (target, args: ConstructorParameters<typeof Real>) => {
          views++
          return new target(...args)
        },
      })
      globalThis.DataView = counting
      try {
        mls.encodeRatchetTree([{ nodeType: 'leaf', leaf: leafNode }])
      } finally {
        globalThis.DataView = Real
      }
      return views <= 2 || `${views} views` // of the lifetime's two ends
    },
  },
]

function countingHash() {
  const { digest, digestSync, digestAll, ...others } = mlsHashes.sha256
  let count = 0
  const counted =
    <Data extends readonly unknown[], Result>(run: (...data: Data) => Result, of: (...data: Data) => number) =>
    (...data: Data) => {
      count += of(...data)
      return run(...data)
    }
  const one = () => 1
  const hash = {
    ...others,
    digest: counted(digest, one),
    digestSync: counted(digestSync, one),
    digestAll: counted(digestAll, (inputs) => inputs.length),
  }
  return { hash, digests: () => count }
}

type Tree = ClientState['ratchetTree']
type Leaf = Extract<NonNullable<Tree[number]>, { nodeType: 'leaf' }>['leaf']

/** The same tree, counting how often the contents of encryption keys are read. */
function watched(tree: Tree, pick: (leaf: Leaf) => Uint8Array) {
  let count = 0
  const copy: Tree = tree.map((node) => {
    if (node?.nodeType !== 'leaf') return node
    const bytes = pick(node.leaf)
    const spied = new Proxy(bytes, {
      get: (target, property) => {
        count++
        const value = Reflect.get(target, property, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    return { nodeType: 'leaf', leaf: { ...node.leaf, hpkePublicKey: spied } }
  })
  return { tree: copy, reads: () => count }
}

describe('patches', () => {
  let stock: Mls
  beforeAll(async () => {
    stock = await stockMls()
  })
  const outcome = (mls: Mls, run: Case) => run(mls).catch((error: unknown) => error)

  it.each(cases)('[$id] $shows', async ({ run }) => {
    expect(await outcome(patchedMls, run)).toBe(true)
    expect(await outcome(stock, run), 'the published package does it too: drop the patch').not.toBe(true)
  })

  it('[C6] a resync that matches no leaf ends, in an error', async () => {
    const script = (base: string) => `
      const load = (name) => import(${JSON.stringify(base)} + name + '.js')
      const { parentPort } = require('node:worker_threads')
      load('ratchetTree').then(({ removeLeafNode }) => {
        parentPort.postMessage('started')
        removeLeafNode([undefined, undefined, undefined], -1)
        parentPort.postMessage('ended')
      })`
    const worker = new Worker(script(`file://${STOCK}/ts-mls/dist/src/`), { eval: true })
    const said: unknown[] = []
    await new Promise((done) => {
      worker.on('message', (message) => {
        said.push(message)
        if (message === 'started') setTimeout(done, 300)
      })
      worker.on('error', done)
    })
    await worker.terminate()
    expect(said).toEqual(['started'])

    const [a] = await groupOf(patchedMls, 2)
    if (a === undefined) throw new Error('no group')
    const info = await patchedMls.createGroupInfoWithExternalPubAndRatchetTree(a, [], cs)
    const own = await made(patchedMls, 'x')
    const resync = patchedMls.joinGroupExternal(info, own.publicPackage, own.privatePackage, true, cs)
    await expect(resync).rejects.toMatchObject({ name: 'ValidationError' })
  })

  it('[S2] ML-KEM imports nothing at run time', () => {
    expect(read('node_modules/.stave-stock/mlkem/esm/src/utils.js')).toMatch(/\bimport\(/)
    expect(read('node_modules/mlkem/esm/src/utils.js')).not.toMatch(/\bimport\(/)
  })

  it('covers every patch', () => {
    const covered = new Set([...cases.map(({ id }) => id), 'C6', 'S2'])
    const ids = [...new Set([...PATCHES, ...MODULES, ...RULES].map(({ id }) => id))]
    expect(ids.filter((id) => !covered.has(id) && !id.startsWith('Z'))).toEqual([]) // those: size-patches.test.ts
  })
})
