/**
 * Tree hashes (RFC 9420 section 7.8) and parent hashes (section 7.9) of ts-mls 1.6.4, memoised and linear (patches P2 and
 * P3). Node objects of a ratchet tree are never changed in place, so a hash is remembered by the node it is of: a commit
 * touches a dozen of 2,000 nodes. Stock computes every hash anew, and verifies parent hashes in quadratic time. Of a tree that
 * is new, a level is hashed at a time (`digestAll`), which WebCrypto does faster than a script.
 */
import { encode } from './codec/tlsEncoder.js'
import { InternalError } from './mlsError.js'
import { parentHashInputEncoder } from './parentHash.js'
import { findFirstNonBlankAncestor } from './ratchetTree.js'
import { leafNodeHashInputEncoder, parentNodeHashInputEncoder } from './treeHash.js'
import { isLeaf, leafWidth, left, right, root, rootFromNodeWidth } from './treemath.js'
import { constantTimeEqual } from './util/constantTimeCompare.js'

const known = new WeakMap() // leaf or parent -> memo
const blanks = new WeakMap() // of blank leaves, hash function -> place -> memo; of blank parents, digest on the left -> on the right -> memo

export async function treeHashRoot(tree, h) {
  await hashLevels(tree, h)
  return subtreeHash(tree, rootFromNodeWidth(tree.length), h)
}

/** Below so many leaves that are not known yet, one at a time is as fast. */
const MANY_LEAVES = 32

async function hashLevels(tree, h) {
  const unknown = tree.filter((node, i) => node !== undefined && i % 2 === 0 && knownHash(tree, i, [], h) === undefined)
  if (unknown.length < MANY_LEAVES) return
  const hashes = []
  for (let step = 1; step <= tree.length; step *= 2) {
    const places = []
    const below = (i) => (step === 1 ? [] : [hashes[i - step / 2], hashes[i + step / 2]])
    for (let i = step - 1; i < tree.length; i += 2 * step) {
      hashes[i] = knownHash(tree, i, below(i), h)
      if (hashes[i] === undefined) places.push(i)
    }
    const found = await h.digestAll(places.map((i) => hashInput(tree, i, below(i))))
    for (const [n, i] of places.entries()) hashes[i] = remember(tree, i, below(i), h, found[n])
  }
}

export async function treeHash(tree, nodeIndex, h) {
  return subtreeHash(tree, nodeIndex, h)
}

/** Synchronous: no microtask per node. */
function subtreeHash(tree, i, h) {
  const below = isLeaf(i) ? [] : [subtreeHash(tree, left(i), h), subtreeHash(tree, right(i), h)]
  return knownHash(tree, i, below, h) ?? remember(tree, i, below, h, h.digestSync(hashInput(tree, i, below)))
}

function hashInput(tree, i, [leftHash, rightHash]) {
  const node = tree[i]
  if (node !== undefined && (node.nodeType === 'leaf') !== isLeaf(i)) throw new InternalError()
  return isLeaf(i)
    ? encode(leafNodeHashInputEncoder)({ nodeType: 'leaf', leafIndex: i / 2, leafNode: node?.leaf })
    : encode(parentNodeHashInputEncoder)({ nodeType: 'parent', parentNode: node?.parent, leftHash, rightHash })
}

/** What is remembered is of a hash function, a place of a leaf, and the digests below a parent. */
function knownHash(tree, i, [leftHash, rightHash], h) {
  const node = tree[i]
  const memo =
    node !== undefined ? known.get(node.leaf ?? node.parent) : blanks.get(leftHash ?? h)?.get(isLeaf(i) ? i : rightHash)
  const isSame =
    memo?.h === h && memo.leftHash === leftHash && memo.rightHash === rightHash && (!isLeaf(i) || memo.i === i)
  return isSame ? memo.hash : undefined
}

function remember(tree, i, [leftHash, rightHash], h, hash) {
  const node = tree[i]
  const memo = { h, i, leftHash, rightHash, hash }
  if (node !== undefined) known.set(node.leaf ?? node.parent, memo)
  else blanks.set(leftHash ?? h, (blanks.get(leftHash ?? h) ?? new Map()).set(isLeaf(i) ? i : rightHash, memo))
  return hash
}

export async function calculateParentHash(tree, nodeIndex, h) {
  const [input, above] = await parentHashInput(tree, nodeIndex, h)
  return [input === undefined ? new Uint8Array() : await h.digest(input), above]
}

/** What a node's parent hash is of, and the node above that it is of; no input where that is empty. */
async function parentHashInput(tree, nodeIndex, h) {
  const rootIndex = root(leafWidth(tree.length))
  if (nodeIndex === rootIndex) return []
  const parentIndex = findFirstNonBlankAncestor(tree, nodeIndex)
  const node = tree[parentIndex]
  if (parentIndex === rootIndex && node === undefined) return [undefined, parentIndex]
  if (node === undefined || node.nodeType === 'leaf') throw new InternalError()
  const { hpkePublicKey, parentHash, unmergedLeaves } = node.parent
  const sibling = nodeIndex < parentIndex ? right(parentIndex) : left(parentIndex)
  const original = unmergedLeaves.length === 0 ? tree : withoutLeaves(tree, unmergedLeaves)
  const originalSiblingTreeHash = await subtreeHash(original, sibling, h)
  return [
    encode(parentHashInputEncoder)({ encryptionKey: hpkePublicKey, parentHash, originalSiblingTreeHash }),
    parentIndex,
  ]
}

/** The tree as it was before those leaves were added: same shape, so that a sibling's subtree is where it was. */
function withoutLeaves(tree, leaves) {
  const gone = new Set(leaves)
  const copy = tree.slice()
  for (const leaf of leaves) copy[2 * leaf] = undefined
  for (let i = 1; i < copy.length; i += 2) {
    const parent = copy[i]?.parent
    if (parent?.unmergedLeaves.some((leaf) => gone.has(leaf))) {
      const unmergedLeaves = parent.unmergedLeaves.filter((leaf) => !gone.has(leaf))
      copy[i] = { nodeType: 'parent', parent: { ...parent, unmergedLeaves } }
    }
  }
  return copy
}

/** Section 7.9.2: each non-blank parent is covered by exactly one chain that goes up from a leaf. */
export async function verifyParentHashes(tree, h) {
  const parents = []
  for (let i = 1; i < tree.length; i += 2) if (tree[i] !== undefined) parents.push(i)
  if (parents.length === 0) return true

  const links = await linksUp(tree, h)
  const chains = new Map()
  for (let leaf = 0; leaf < tree.length; leaf += 2) {
    for (let above = links.get(leaf); above !== undefined; above = links.get(above)) {
      chains.set(above, (chains.get(above) ?? 0) + 1)
    }
  }
  return parents.every((index) => chains.get(index) === 1)
}

/** From each node whose parent hash is right to the node that it is of. */
async function linksUp(tree, h) {
  const claims = []
  for (const [node, value] of tree.entries()) {
    const claimed = value && claimedParentHash(value)
    const [input, above] = claimed === undefined ? [] : await parentHashInput(tree, node, h)
    if (input !== undefined) claims.push({ node, claimed, input, above })
  }
  const inputs = claims.map(({ input }) => input)
  const hashes = await h.digestAll(inputs)
  const held = claims.filter(({ claimed }, i) => constantTimeEqual(hashes[i], claimed))
  return new Map(held.map(({ node, above }) => [node, above]))
}

function claimedParentHash(node) {
  if (node.nodeType === 'parent') return node.parent.parentHash
  return node.leaf.leafNodeSource === 'commit' ? node.leaf.parentHash : undefined
}
