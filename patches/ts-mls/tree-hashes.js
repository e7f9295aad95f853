/**
 * Tree hashes (RFC 9420 section 7.8) and parent hashes (section 7.9) of ts-mls 1.6.4, memoised and linear (patches P2 and
 * P3). Node objects of a ratchet tree are never changed in place, so a hash is remembered by the node it is of: a commit
 * touches a dozen of 2,000 nodes. Stock computes every hash anew, and verifies parent hashes in quadratic time.
 */
import { encode } from './codec/tlsEncoder.js'
import { InternalError } from './mlsError.js'
import { parentHashInputEncoder } from './parentHash.js'
import { findFirstNonBlankAncestor } from './ratchetTree.js'
import { leafNodeHashInputEncoder, parentNodeHashInputEncoder } from './treeHash.js'
import { isLeaf, leafWidth, left, nodeToLeafIndex, right, root, rootFromNodeWidth } from './treemath.js'
import { constantTimeEqual } from './util/constantTimeCompare.js'

const leafHashes = new WeakMap() // leaf -> { hash function, leafIndex, digest }
const parentHashes = new WeakMap() // parent -> { hash function, left digest, right digest, digest }
const blankHashes = new WeakMap() // left digest of a blank parent -> as above
const blankLeaves = new WeakMap() // hash function -> digests by leaf index

export async function treeHashRoot(tree, h) {
  return subtreeHash(tree, rootFromNodeWidth(tree.length), h)
}

export async function treeHash(tree, nodeIndex, h) {
  return subtreeHash(tree, nodeIndex, h)
}

/** The digest itself when it is known or the hash is synchronous, else a promise of it: no microtask per node. */
function subtreeHash(tree, nodeIndex, h) {
  if (isLeaf(nodeIndex)) return leafHash(tree[nodeIndex], nodeToLeafIndex(nodeIndex), h)
  const node = tree[nodeIndex]
  if (node?.nodeType === 'leaf') throw new InternalError('Somehow found leaf node in parent position')
  const l = subtreeHash(tree, left(nodeIndex), h)
  const r = subtreeHash(tree, right(nodeIndex), h)
  if (l instanceof Uint8Array && r instanceof Uint8Array) return parentDigest(node?.parent, l, r, h)
  return Promise.all([l, r]).then(([leftHash, rightHash]) => parentDigest(node?.parent, leftHash, rightHash, h))
}

function leafHash(node, leafIndex, h) {
  if (node?.nodeType === 'parent') throw new InternalError('Somehow found parent node in leaf position')
  const digestOf = () =>
    digest(encode(leafNodeHashInputEncoder)({ nodeType: 'leaf', leafIndex, leafNode: node?.leaf }), h)
  if (node === undefined) {
    const known = blankLeaves.get(h) ?? new Map()
    blankLeaves.set(h, known)
    const hash = known.get(leafIndex)
    return hash ?? remember(digestOf(), (value) => known.set(leafIndex, value))
  }
  const known = leafHashes.get(node.leaf)
  if (known !== undefined && known.h === h && known.leafIndex === leafIndex) return known.hash
  return remember(digestOf(), (hash) => leafHashes.set(node.leaf, { h, leafIndex, hash }))
}

function parentDigest(parentNode, leftHash, rightHash, h) {
  const [memo, key] = parentNode === undefined ? [blankHashes, leftHash] : [parentHashes, parentNode]
  const known = memo.get(key)
  if (known !== undefined && known.h === h && known.leftHash === leftHash && known.rightHash === rightHash) {
    return known.hash
  }
  const input = encode(parentNodeHashInputEncoder)({ nodeType: 'parent', parentNode, leftHash, rightHash })
  return remember(digest(input, h), (hash) => memo.set(key, { h, leftHash, rightHash, hash }))
}

function digest(input, h) {
  return h.digestSync === undefined ? h.digest(input) : h.digestSync(input)
}

function remember(hash, put) {
  if (hash instanceof Uint8Array) {
    put(hash)
    return hash
  }
  return hash.then((value) => {
    put(value)
    return value
  })
}

export async function calculateParentHash(tree, nodeIndex, h) {
  const rootIndex = root(leafWidth(tree.length))
  if (nodeIndex === rootIndex) return [new Uint8Array(), undefined]
  const parentIndex = findFirstNonBlankAncestor(tree, nodeIndex)
  const node = tree[parentIndex]
  if (parentIndex === rootIndex && node === undefined) return [new Uint8Array(), parentIndex]
  if (node === undefined || node.nodeType === 'leaf') throw new InternalError('Expected non-blank parent Node')
  const { hpkePublicKey, parentHash, unmergedLeaves } = node.parent
  const sibling = nodeIndex < parentIndex ? right(parentIndex) : left(parentIndex)
  const original = unmergedLeaves.length === 0 ? tree : withoutLeaves(tree, unmergedLeaves)
  const originalSiblingTreeHash = await treeHash(original, sibling, h)
  const input = { encryptionKey: hpkePublicKey, parentHash, originalSiblingTreeHash }
  return [await h.digest(encode(parentHashInputEncoder)(input)), parentIndex]
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

  const chains = new Map()
  const rootIndex = root(leafWidth(tree.length))
  for (let leaf = 0; leaf < tree.length; leaf += 2) {
    let node = leaf
    while (tree[node] !== undefined && node !== rootIndex) {
      const claimed = claimedParentHash(tree[node])
      if (claimed === undefined) break
      const [parentHash, above] = await calculateParentHash(tree, node, h)
      if (above === undefined || tree[above] === undefined || !constantTimeEqual(parentHash, claimed)) break
      chains.set(above, (chains.get(above) ?? 0) + 1)
      node = above
    }
  }
  return parents.every((index) => chains.get(index) === 1)
}

function claimedParentHash(node) {
  if (node.nodeType === 'parent') return node.parent.parentHash
  return node.leaf.leafNodeSource === 'commit' ? node.leaf.parentHash : undefined
}
