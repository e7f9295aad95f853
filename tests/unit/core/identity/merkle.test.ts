import { describe, expect, it } from 'vitest'
import { sha256 } from '#core/crypto/hash.ts'
import {
  appended,
  consistencyPath,
  inclusionPath,
  manifestLeaf,
  type Nodes,
  parentOf,
  rootOf,
  verifyConsistency,
  verifyInclusion,
} from '#core/identity/merkle.ts'
import { encodeCbor } from '#core/wire/cbor.ts'
import type { AccountId } from '#core/wire/ids.ts'

const leafOf = (n: number) => sha256(Uint8Array.of(n >> 8, n & 255))

/** RFC 9162 section 2.1.1, word for word. */
function naive(leaves: readonly Uint8Array[]): Uint8Array {
  const [first] = leaves
  if (first === undefined) return sha256(new Uint8Array())
  if (leaves.length === 1) return first
  let split = 1
  while (split * 2 < leaves.length) split *= 2
  return parentOf(naive(leaves.slice(0, split)), naive(leaves.slice(split)))
}

function tree(size: number): { nodes: Nodes; leaves: Uint8Array[]; roots: Uint8Array[] } {
  const stored = new Map<string, Uint8Array>()
  const nodes: Nodes = (level, index) => {
    const hash = stored.get(`${level} ${index}`)
    if (hash === undefined) throw new Error(`no node ${level} ${index}`)
    return hash
  }
  const leaves: Uint8Array[] = []
  const roots = [rootOf(0, nodes)]
  for (let n = 0; n < size; n++) {
    for (const { level, index, hash } of appended(n, leafOf(n), nodes)) stored.set(`${level} ${index}`, hash)
    leaves.push(leafOf(n))
    roots.push(rootOf(n + 1, nodes))
  }
  return { nodes, leaves, roots }
}

const SIZE = 70
const { nodes, leaves, roots } = tree(SIZE)
const headAt = (size: number) => ({ size, root: roots[size] ?? new Uint8Array() })
const flipped = (bytes: Uint8Array) => bytes.with(5, (bytes[5] ?? 0) ^ 1)

describe('the tree of manifests', () => {
  it('[K-13] has the roots of RFC 9162, for every size', () => {
    for (let size = 0; size <= SIZE; size++) expect(roots[size]).toEqual(naive(leaves.slice(0, size)))
  })

  it('[K-13] shows every leaf in every tree that has it, and nothing else', () => {
    for (let size = 1; size <= SIZE; size++) {
      for (let index = 0; index < size; index++) {
        const path = inclusionPath(index, size, nodes)
        const proof = { ...headAt(size), leaf: leafOf(index), index, path }
        expect(verifyInclusion(proof), `${index} of ${size}`).toBe(true)
        expect(verifyInclusion({ ...proof, leaf: leafOf(index + 1) })).toBe(false)
        expect(verifyInclusion({ ...proof, root: flipped(proof.root) })).toBe(false)
        expect(verifyInclusion({ ...proof, path: [...path, leafOf(1)] })).toBe(false)
        if (size > 1) expect(verifyInclusion({ ...proof, index: (index + 1) % size })).toBe(false)
        if (path.length > 0) expect(verifyInclusion({ ...proof, path: path.slice(1) })).toBe(false)
      }
      expect(verifyInclusion({ ...headAt(size), leaf: leafOf(0), index: size, path: [] })).toBe(false)
    }
  })

  it('[K-13] shows of any two sizes that the larger goes on from the smaller, and of no other tree', () => {
    for (let to = 0; to <= SIZE; to++) {
      for (let from = 0; from <= to; from++) {
        const path = consistencyPath(from, to, nodes)
        expect(verifyConsistency(headAt(from), headAt(to), path), `${from} to ${to}`).toBe(true)
        if (from === 0) continue
        expect(verifyConsistency({ size: from, root: flipped(headAt(from).root) }, headAt(to), path)).toBe(false)
        expect(verifyConsistency(headAt(from), { size: to, root: flipped(headAt(to).root) }, path)).toBe(false)
        expect(verifyConsistency(headAt(from), headAt(to), [...path, leafOf(1)])).toBe(false)
        if (path.length > 0) expect(verifyConsistency(headAt(from), headAt(to), path.slice(1))).toBe(false)
        if (from < to) expect(verifyConsistency(headAt(to), headAt(from), path)).toBe(false)
      }
    }
  })

  it('[K-13] proofs in a log of a million manifests stay below 2 KB', () => {
    const size = 1_000_000
    const same: Nodes = () => new Uint8Array(32).fill(1)
    const paths = [1, 2, 3, 524_287, 524_289, 999_999].flatMap((at) => [
      inclusionPath(at, size, same),
      consistencyPath(at, size, same),
    ])
    for (const path of paths) expect(encodeCbor({ index: 999_999, path }).length).toBeLessThan(2_000)
  })

  it('[K-13] a leaf binds the account, the number and the bytes of a manifest', () => {
    const account = new Uint8Array(32).fill(1) as AccountId
    const hash = new Uint8Array(32).fill(2)
    const leaf = manifestLeaf(account, 3, hash)
    expect(manifestLeaf(account, 4, hash)).not.toEqual(leaf)
    expect(manifestLeaf(account.with(0, 9) as AccountId, 3, hash)).not.toEqual(leaf)
    expect(manifestLeaf(account, 3, flipped(hash))).not.toEqual(leaf)
  })
})
